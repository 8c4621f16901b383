"""The fold and the pump that feeds it: pure. Live sessions, the twin and replays differ only in who pours the messages in."""
