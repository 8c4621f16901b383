"""A place to draw without a screen: EGL if it is there, else OSMesa, else a sentence that names the package.

Which of the two is used makes no difference to speed (both draw with llvmpipe where there is no graphics card). The environment variable
MUJOCO_GL (`egl` or `osmesa`) overrules the choice, as MuJoCo's own tools have it.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, Protocol, cast

from rig.errors import PalettiError


class GlContext(Protocol):
    """What MuJoCo's off-screen contexts have in common."""

    def make_current(self) -> None:
        """Draw into this one from here on."""

    def free(self) -> None:
        """Give its memory back."""


def open_context(width_px: int, height_px: int) -> GlContext:
    """An off-screen OpenGL context; PalettiError, naming the Debian package, if neither library works."""
    wished = os.environ.get("MUJOCO_GL", "").lower()
    backends = (wished,) if wished in ("egl", "osmesa") else ("egl", "osmesa")
    troubles = []
    for backend in backends:
        os.environ["PYOPENGL_PLATFORM"] = backend  # PyOpenGL binds its platform at the first import
        try:
            module = importlib.import_module(f"mujoco.{backend}")
            return cast(GlContext, module.GLContext(width_px, height_px))
        except Exception as error:  # PyOpenGL raises whatever the loader did, AttributeError for a missing library included
            troubles.append(f"{backend}: {error}")
    raise PalettiError(
        f"The twin cannot draw: no OpenGL library works ({'; '.join(troubles)}).",
        "Install one: `apt-get install libegl1` or `apt-get install libosmesa6`.",
    )


def bindings() -> Any:
    """OpenGL's functions, for the context that `open_context` has made current."""
    return importlib.import_module("OpenGL.GL")
