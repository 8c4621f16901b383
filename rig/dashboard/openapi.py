"""The interface in the words of OpenAPI 3.1, made from the very classes that read the bodies."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Blueprint, Response, jsonify

from rig import messages as m
from rig.dashboard.desk import Tale

_LOOK = {
    "/state.json": "the whole state of the screen",
    "/me": "the session's role, and the token that every tap carries in the header X-Paletti-Token",
    "/desk.json": "what may be told now, and the number of the state",
}
_SAY: dict[str, tuple[str, type | None]] = {
    "/call": ("a player's word", m.Call),
    "/answer": ("the answer to the referee's question", m.Answered),
    "/drew": ("who plays which colour", m.Drew),
    "/told": ("an event, a correction or a ruling of the table, in the rules' notation", Tale),
    "/tare": ("what rests on the scale counts as nothing, or did not", m.Tare),
    "/new": ("the same players begin anew (host)", None),
    "/back": ("take the new game back (host)", None),
    "/names": ("other names for the players (host)", None),
}
_MORE: dict[str, dict[str, Any]] = {
    "/new": {"sure": {"type": "boolean"}},
    "/names": {"names": {"type": "array", "items": {"type": "string"}}},
}


def document() -> dict[str, Any]:
    """The whole document."""
    kinds = [kind for _, kind in _SAY.values() if kind is not None]
    schemas, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    by_kind = dict(zip(kinds, schemas, strict=True))
    for component in components.values():  # the tag is the reader's own business
        component.get("properties", {}).pop("type", None)
        component["required"] = [name for name in component.get("required", []) if name != "type"]
    paths: dict[str, Any] = {path: {"get": {"summary": told, "responses": _answers("200")}} for path, told in _LOOK.items()}
    code = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
    paths["/join"] = {"post": _post("give a code", code, ())}
    paths["/leave"] = {"post": _post("give the role back", {"type": "object"}, ())}
    for path, (told, kind) in _SAY.items():
        own = {"type": "object", "properties": {"state": {"type": "string"}, **_MORE.get(path, {})}, "required": ["state"]}
        paths[path] = {"post": _post(told, own if kind is None else {"allOf": [by_kind[kind], own]}, ("409",))}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Villa Paletti: the screen and the desk", "version": "1"},
        "paths": paths,
        "components": {"schemas": components},
    }


def openapi_routes() -> Blueprint:
    """`GET /openapi.json`."""
    routes = Blueprint("openapi", __name__)

    @routes.get("/openapi.json")
    def published() -> Response:
        return jsonify(document())

    return routes


def _post(told: str, schema: dict[str, Any], more: tuple[str, ...]) -> dict[str, Any]:
    return {
        "summary": told,
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": _answers("200", "400", "401", "403", "408", "413", "415", "421", "429", *more),
    }


def _answers(*codes: str) -> dict[str, Any]:
    content: dict[str, Any] = {"application/json": {}}
    return {code: {"description": "done" if code == "200" else "a sentence that says why not", "content": content} for code in codes}
