"""What the load benchmarks stand on: a real hub on its own core, units, browsers, a quota, and a table of figures."""
