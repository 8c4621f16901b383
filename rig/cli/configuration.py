"""`paletti.toml`: the rig's configuration, read with a sentence for whatever is wrong in it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from rig.errors import PalettiError


def configuration(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PalettiError(
            f"There is no configuration {path}.",
            "Write one (see `paletti run --help`), name another with --config, name what there is (`paletti run --cameras 0`), keep score "
            "with --no-sensors, or try `paletti demo`.",
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PalettiError(f"The configuration {path} cannot be read: {error}.", "Correct that line.") from error


def list_of(config: dict[str, Any], key: str, kind: type, default: list[Any]) -> list[Any]:
    value = config.get(key, default)
    if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
        raise PalettiError(f"In the configuration, {key} must be a list of {kind.__name__} values.", f"For example {key} = {default}.")
    return value
