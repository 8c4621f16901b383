"""`paletti …`: the command line. Wiring only: every command puts rooms together and holds no logic of its own.

Exit codes are a contract: 0 done, 1 the thing checked does not hold, 2 unusable input (with a sentence on standard error, no traceback).
"""

import os

# OpenCV and FFmpeg talk to the terminal by themselves; what a camera lacks is told in our own words. Read when OpenCV is loaded.
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

from rig.cli.main import main

__all__ = ["main"]
