"""The command line, the demo and its bench page; may import every package, and none imports it."""
