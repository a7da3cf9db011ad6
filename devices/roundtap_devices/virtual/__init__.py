"""Virtual devices: panels to press and look at, and a printer on a pseudo-terminal."""
