"""What several pages show, computed from the saved snapshot and the hall: no Flask, no clock of its own, no chance."""
