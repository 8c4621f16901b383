"""The only impure middle: the sequencer, the fold's wiring, workers, sources by URL, and time."""
