"""One file a command: each takes a `Setting` and its own arguments and gives an exit code."""
