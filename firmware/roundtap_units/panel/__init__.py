"""The front panel of the hub's machine: its pages, and what its buttons may do."""
