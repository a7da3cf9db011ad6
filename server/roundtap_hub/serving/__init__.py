"""Serving: HTTP, connections, page queues, caches, the browsers' feed, and what all pages stand on."""
