"""The front panel of the hub's machine: what it shows, and what may be pressed there."""
