"""What hub, units and command line share of their machine. Imports nobody of the house, only the standard library."""
