"""Every screen, slip and page as a picture."""
