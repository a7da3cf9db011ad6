"""The network that a hub makes for its hall: `roundtap hotspot`."""
