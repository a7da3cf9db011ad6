"""`roundtap printer`."""
