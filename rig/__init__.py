"""The referee's rig: everything between the sensors of a real (or simulated) Villa Paletti tower and the screen beside it."""
