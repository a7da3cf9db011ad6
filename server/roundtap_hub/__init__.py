"""The hub: journal, service, feeds, device API and web pages of one venue."""
