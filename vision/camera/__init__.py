"""The one camera model: how a lens bends rays, where a camera stands, whether it still stands there, and how far either may be off.

`projection` holds the formulas, compiled; `lens` a lens by itself; `view` a lens at a pose, which is what everybody else uses; `markers`
finds a pose from the printed markers, `pose_doubt` says how far it may be off, `camera_motion` whether the camera was knocked.
"""
