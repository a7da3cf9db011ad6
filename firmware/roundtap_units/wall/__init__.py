"""The wall: a browser on this machine's own screen, kept at the hub's wall whatever happens."""
