"""How the eyes' inner loops are compiled: by numba, with given signatures, when a module is first imported on a machine.

Every room keeps its own loops beside what uses them (`vision.camera.projection`, `vision.scene.rasters`, `vision.scene.solids`,
`vision.change.scoring`, `vision.change.strips`). Signatures are given, so that a loop is compiled, or fetched from numba's cache on disk,
at import and never in the middle of a game. There is no `fastmath`: the same numbers give the same answer. A loop calls only loops of its
own file, because numba's cache looks at the time stamp of that file alone and would keep an old copy of a loop from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def compiled(signature: object) -> Callable[[F], F]:
    """numba's compiler for one signature (numba's string or type), typed as the plain function. Division by 0 gives inf or NaN, as in
    numpy; the interpreter's lock is released."""
    return cast("Callable[[F], F]", numba.njit(signature, cache=True, nogil=True, error_model="numpy"))
