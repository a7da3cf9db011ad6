"""Every rule that a recorded event broke, one module for each kind of rule."""
