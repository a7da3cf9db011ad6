"""The command line, the setup of machines, the demo; may import every package, and none imports it."""
