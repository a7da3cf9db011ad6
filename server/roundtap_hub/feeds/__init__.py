"""The two feeds: the latest state for browsers, addressed messages for devices."""
