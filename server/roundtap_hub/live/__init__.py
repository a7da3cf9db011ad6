"""What keeps pages live: regions, caches, feeds, and how a page is made."""
