"""What pages show, computed from the saved snapshot and the hall: no Flask, no clock of its own, no chance."""

from roundtap_hub.views.page_versions import view_key

__all__ = ["view_key"]
