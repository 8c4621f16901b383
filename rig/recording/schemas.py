"""JSON schemas that viewers understand: plain objects, arrays and numbers, nothing referred to.

msgspec describes our classes in full JSON Schema, with `$ref` and `anyOf`. Viewers read a plainer dialect (one `type` everywhere, no
references, no nulls), so the full one is flattened here; a field without a value is absent from the record (see `absent`), so every
record is valid under its schema. It is for showing only; the reader decodes by the classes themselves.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

_KINDS: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def viewer_schema(envelope: type, payload: type) -> bytes:
    """The schema of `envelope` (a struct with a field `payload`) holding a `payload` of this class, as JSON."""
    (_, inner), parts = msgspec.json.schema_components([envelope, payload], ref_template="{name}")
    outer = parts[envelope.__name__]
    plain = {name: _plain(field, parts) for name, field in outer["properties"].items() if name != "payload"}
    plain["payload"] = _plain(inner, parts)
    title = payload.__name__
    return json.dumps({"title": title, "type": "object", "properties": plain}, separators=(",", ":")).encode()


def _plain(schema: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return _plain(parts[schema["$ref"]], parts)
    if "anyOf" in schema:
        some = [_plain(option, parts) for option in schema["anyOf"] if option.get("type") != "null"]
        return some[0] if len(some) == 1 else {"type": "object"}
    if "enum" in schema:
        return {"type": _KINDS[type(schema["enum"][0])]}
    if schema.get("type") == "object":
        return {"type": "object", "properties": {name: _plain(field, parts) for name, field in schema.get("properties", {}).items()}}
    if schema.get("type") == "array":
        items: dict[str, Any] = schema.get("items") or next(iter(schema.get("prefixItems", [])), {})
        return {"type": "array", "items": _plain(items, parts)} if items else {"type": "array", "items": {"type": "object"}}
    if schema.get("contentEncoding") == "base64":
        return {"type": "string", "contentEncoding": "base64"}
    return {"type": schema["type"]} if "type" in schema else {"type": "object"}
