"""What pages show, computed from the saved snapshot and the hall: no Flask, no clock of its own, no chance."""

from roundtap_hub.views.console_version import HallNow
from roundtap_hub.views.page_versions import page_version

__all__ = ["HallNow", "page_version"]
