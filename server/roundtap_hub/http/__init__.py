"""HTTP: connections, limits, queues, cookies, files and answers. It knows no event."""
