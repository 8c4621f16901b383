"""The arrays that the eyes pass round, by name; shapes are said where they are used."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
"""A decoded JPEG as OpenCV gives it: (height, width, 3), BGR, upright."""

Floats = npt.NDArray[np.float64]
Maps = npt.NDArray[np.float32]
"""A value for each pixel."""

Bools = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int16]
"""Which item each pixel shows (`vision.scene.silhouettes.Scene`)."""

Labels = npt.NDArray[np.uint8]
"""Which paint each pixel shows (`vision.scene.silhouettes.Label`)."""

Longs = npt.NDArray[np.int64]
