"""What puts several subjects together: the hub, its routes, the console, standbys, the practice hub."""
