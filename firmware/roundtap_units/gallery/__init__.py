"""Every screen and slip as a picture, to be looked at."""
