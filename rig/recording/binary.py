"""Pictures and serial bytes as protobuf, because JSON would swell them by a third.

A picture is a `foxglove.CompressedImage` (https://docs.foxglove.dev/docs/sdk/schemas/compressed-image), so that viewers show it, with our
own fields behind Foxglove's: a viewer reads the file's own schema and does not mind more fields. The descriptors are built here, not by
protoc, so that a checkout needs no compiler.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2
from google.protobuf.message import DecodeError

from rig import messages as m

_Field = descriptor_pb2.FieldDescriptorProto
_ENVELOPE = (("n", 101, _Field.TYPE_UINT64), ("t_s", 102, _Field.TYPE_DOUBLE), ("source", 103, _Field.TYPE_STRING))

IMAGE = "foxglove.CompressedImage"
BYTES = "paletti.BaseBytes"


def _proto(full_name: str, fields: tuple[tuple[str, int, Any], ...]) -> descriptor_pb2.FileDescriptorProto:
    package, name = full_name.split(".")
    file = descriptor_pb2.FileDescriptorProto(name=f"{package}/{name}.proto", package=package, syntax="proto3")
    message = file.message_type.add(name=name)
    for field, number, kind in (*fields, *_ENVELOPE):
        added = message.field.add(name=field, number=number, label=_Field.LABEL_OPTIONAL)
        if isinstance(kind, str):
            added.type, added.type_name = _Field.TYPE_MESSAGE, kind
            file.dependency.append("google/protobuf/timestamp.proto")
        else:
            added.type = kind
    return file


_IMAGE_PROTO = _proto(
    IMAGE,
    (
        ("timestamp", 1, ".google.protobuf.Timestamp"),
        ("frame_id", 4, _Field.TYPE_STRING),
        ("data", 2, _Field.TYPE_BYTES),
        ("format", 3, _Field.TYPE_STRING),
        ("camera", 104, _Field.TYPE_UINT32),
        ("lag_s", 105, _Field.TYPE_DOUBLE),
        ("dropped", 106, _Field.TYPE_UINT64),
    ),
)
_BYTES_PROTO = _proto(BYTES, (("data", 2, _Field.TYPE_BYTES),))

_TIMESTAMP_PROTO = descriptor_pb2.FileDescriptorProto()
timestamp_pb2.DESCRIPTOR.CopyToProto(_TIMESTAMP_PROTO)

_pool = descriptor_pool.DescriptorPool()
for _file in (_TIMESTAMP_PROTO, _IMAGE_PROTO, _BYTES_PROTO):
    _pool.Add(_file)
_Image: Any = message_factory.GetMessageClass(_pool.FindMessageTypeByName(IMAGE))
_Bytes: Any = message_factory.GetMessageClass(_pool.FindMessageTypeByName(BYTES))

SCHEMAS: dict[str, bytes] = {
    IMAGE: descriptor_pb2.FileDescriptorSet(file=[_TIMESTAMP_PROTO, _IMAGE_PROTO]).SerializeToString(deterministic=True),
    BYTES: descriptor_pb2.FileDescriptorSet(file=[_BYTES_PROTO]).SerializeToString(deterministic=True),
}
"""Schema name to the serialized FileDescriptorSet that MCAP wants."""


def frame_bytes(message: m.Message, frame: m.Frame, log_time_ns: int) -> bytes:
    """The frame as CompressedImage; its timestamp is `log_time_ns`, so that a viewer shows it when it arrived."""
    image = _Image(
        data=frame.jpeg, format="jpeg", frame_id=f"camera {frame.camera}", n=message.n, t_s=message.t_s, source=message.source,
        camera=frame.camera, lag_s=frame.lag_s, dropped=frame.dropped,
    )  # fmt: skip
    image.timestamp.seconds, image.timestamp.nanos = divmod(log_time_ns, 1_000_000_000)
    return bytes(image.SerializeToString())


def base_bytes(message: m.Message, chunk: m.BaseBytes) -> bytes:
    return bytes(_Bytes(data=chunk.data, n=message.n, t_s=message.t_s, source=message.source).SerializeToString())


def message_from_binary(schema: str, data: bytes) -> m.Message:
    """The message written by `frame_bytes` or `base_bytes`; ValueError if the bytes are not one."""
    try:
        if schema == IMAGE:
            image = _Image.FromString(data)
            frame = m.Frame(camera=image.camera, jpeg=image.data, lag_s=image.lag_s, dropped=image.dropped)
            return m.Message(image.n, image.t_s, image.source, frame)
        chunk = _Bytes.FromString(data)
    except DecodeError as error:
        raise ValueError(str(error)) from error
    return m.Message(chunk.n, chunk.t_s, chunk.source, m.BaseBytes(data=chunk.data))
