"""Code about the machine that hub, units and command line share. Imports only the standard library."""
