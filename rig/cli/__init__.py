"""`paletti …`: the command line. Wiring only: every command puts rooms together and holds no logic of its own.

Exit codes are a contract: 0 done, 1 the thing checked does not hold, 2 unusable input (with a sentence on standard error, no traceback).
"""

from rig.cli.main import main

__all__ = ["main"]
