"""The command line, the setup of machines, the demo, rehearsals; may import every package, and none imports it."""
