"""A camera's picture in a recording: Foxglove's own `CompressedImage`, so that viewers show it, and a small record beside it.

The picture follows Foxglove's published schema to the letter. What that schema has no field for (number, exact time, camera, lag, losses)
is a JSON record on the topic below it, under the same number; `reader` joins the two. Recordings of the older layout carried those fields
inside the picture and the base's bytes as protobuf; they are decoded by the schema in their own file.
"""

from __future__ import annotations

from typing import Any

import msgspec
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from google.protobuf.message import DecodeError
from mcap.records import Schema
from mcap_protobuf.decoder import DecoderFactory

from rig import messages as m

IMAGE = CompressedImage
OLD_BYTES = "paletti.BaseBytes"


def picture_bytes(frame: m.Frame, log_time_ns: int) -> bytes:
    """The frame's picture as a serialized `CompressedImage`, dated `log_time_ns`: when it arrived."""
    image = CompressedImage(data=frame.jpeg, format="jpeg", frame_id=f"camera {frame.camera}")
    image.timestamp.seconds, image.timestamp.nanos = divmod(log_time_ns, 1_000_000_000)
    return bytes(image.SerializeToString())


def beside_picture(message: m.Message, frame: m.Frame) -> m.Message:
    """The message without its picture, as it is written beside it."""
    return msgspec.structs.replace(message, payload=msgspec.structs.replace(frame, jpeg=b""))


def joined(message: m.Message, picture: bytes) -> m.Message:
    """The message with the JPEG out of the serialized `CompressedImage`; ValueError if the bytes are not one."""
    try:
        jpeg = CompressedImage.FromString(picture).data
    except DecodeError as error:
        raise ValueError(str(error)) from error
    if not isinstance(message.payload, m.Frame):
        raise ValueError(f"message {message.n} has a picture, but is a {type(message.payload).__name__}")  # noqa: TRY004
    return msgspec.structs.replace(message, payload=msgspec.structs.replace(message.payload, jpeg=jpeg))


class OldBinary:
    """Decodes the older layout's pictures and serial bytes by the schema that their own file brings along."""

    def __init__(self) -> None:
        self._factory = DecoderFactory()

    def message(self, schema: Schema, data: bytes) -> m.Message:
        """The message in `data`; ValueError if the bytes are not one."""
        try:
            decode = self._factory.decoder_for("protobuf", schema)
            old: Any = decode(data) if decode is not None else None
        except (DecodeError, TypeError) as error:
            raise ValueError(str(error)) from error
        if old is None or not hasattr(old, "source"):
            raise ValueError(f"the schema {schema.name} is none of this program's")
        if schema.name == OLD_BYTES:
            return m.Message(old.n, old.t_s, old.source, m.BaseBytes(data=old.data))
        return m.Message(old.n, old.t_s, old.source, m.Frame(camera=old.camera, jpeg=old.data, lag_s=old.lag_s, dropped=old.dropped))
