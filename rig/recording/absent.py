"""Leaves fields without a value out of a record, and puts them back when it is read.

Viewers such as Foxglove know one type per field, so a schema cannot say "a number or null", and a record with nulls would not be valid
under its own schema. A field that has no value is therefore absent. Which fields that may be is read off the message classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import inspect


@dataclass(slots=True)
class _Shape:
    """What of a value is to be looked into: the fields that may be None, and where to go deeper."""

    optional: set[str] = field(default_factory=set)
    fields: dict[str, _Shape] = field(default_factory=dict)
    items: _Shape | None = None
    by_tag: dict[str, _Shape] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        return not (self.optional or self.fields or self.items or self.by_tag)


def without_nulls(data: bytes, kind: type) -> bytes:
    """The JSON record `data` of class `kind` without its null fields; the same bytes if it has none."""
    if b"null" not in data:
        return data
    value = msgspec.json.decode(data)
    _each(value, shape_of(kind), _leave_out)
    return msgspec.json.encode(value)


def with_nulls(data: bytes, kind: type) -> Any:
    """The value of class `kind` in the JSON record `data`, in which fields may be absent; msgspec.DecodeError if it holds none."""
    value = msgspec.json.decode(data)
    _each(value, shape_of(kind), _put_back)
    return msgspec.convert(value, kind)


_shapes: dict[type, _Shape] = {}


def shape_of(kind: type) -> _Shape:
    """The shape of a message class, worked out once."""
    if kind not in _shapes:
        _shapes[kind] = _shape(inspect.type_info(kind), {})
    return _shapes[kind]


def _shape(info: inspect.Type, known: dict[type, _Shape]) -> _Shape:
    match info:
        case inspect.StructType(cls=cls, fields=fields):
            if cls in known:
                return known[cls]
            shape = known[cls] = _Shape()
            for one in fields:
                nullable = isinstance(one.type, inspect.UnionType) and any(isinstance(part, inspect.NoneType) for part in one.type.types)
                if nullable and (one.required or one.default is None):
                    shape.optional.add(one.encode_name)
                inner = _shape(one.type, known)
                if not inner.empty:
                    shape.fields[one.encode_name] = inner
            return shape
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            inner = _shape(item, known)
            return _Shape(items=None if inner.empty else inner)
        case inspect.UnionType(types=types):
            parts = [(part, _shape(part, known)) for part in types if not isinstance(part, inspect.NoneType)]
            if len(parts) == 1:
                return parts[0][1]
            return _Shape(
                by_tag={str(part.tag): inner for part, inner in parts if isinstance(part, inspect.StructType) and not inner.empty}
            )
        case _:
            return _Shape()


def _each(value: Any, shape: _Shape, act: Callable[[dict[str, Any], set[str]], None]) -> None:
    if isinstance(value, dict):
        shape = shape.by_tag.get(str(value.get("type")), shape)
        act(value, shape.optional)
        for name, inner in shape.fields.items():
            if name in value:
                _each(value[name], inner, act)
    elif isinstance(value, list) and shape.items is not None:
        for item in value:
            _each(item, shape.items, act)


def _leave_out(value: dict[str, Any], optional: set[str]) -> None:
    for name in optional:
        if name in value and value[name] is None:
            del value[name]


def _put_back(value: dict[str, Any], optional: set[str]) -> None:
    for name in optional:
        value.setdefault(name, None)
