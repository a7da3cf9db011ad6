"""The programs on a Pi in the hall: table unit, print station, wall, front panel, and their link to the hub."""
