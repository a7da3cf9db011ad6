"""A hub without a folder, for simulations and tests: sessions and links last as long as it does."""

from collections.abc import Mapping
from typing import Any

from roundtap_hub.access.personal_links import PersonalLinks
from roundtap_hub.access.policy import AccessControl
from roundtap_hub.access.staff import make_staff_login
from roundtap_hub.access.unit_keys import UnitKeys
from roundtap_hub.app.hub import Hub
from roundtap_hub.http.host import Host
from roundtap_hub.http.tls import HttpsInfo
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.event_times import EventTimesCache
from roundtap_hub.store.service import Service
from roundtap_hub.views.running_hub import Hall, Units
from roundtap_hub.views.unit_presence import Presence


def hub_in_memory(
    service: Service,
    presence: Presence,
    clocks: Clocks,
    keys: UnitKeys | Mapping[str, bytes],
    secret: bytes = b"",
    pin_hash: str = "",
    *,
    encrypted: HttpsInfo | None = None,
    host: Host | None = None,
    **more: Any,
) -> Hub:
    """`more`: further fields of Hub."""
    now_ms = clocks.mono_ms
    return Hub(
        service,
        presence,
        clocks,
        Units(service, presence, now_ms, keys),
        AccessControl(
            secret,
            make_staff_login(pin_hash, secret, clocks, service),
            PersonalLinks(service, secret, now_ms),
            encrypted,
        ),
        Hall(now_ms),
        EventTimesCache(service),
        host or Host(),
        **more,
    )
