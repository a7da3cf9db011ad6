"""Who may do what on this hub: the secret of its tokens, the staff, personal links, the encrypted port."""

from dataclasses import dataclass

from roundtap_hub.access.personal_links import PersonalLinks
from roundtap_hub.access.staff import StaffLogin
from roundtap_hub.http.tls import HttpsInfo


@dataclass(slots=True)
class AccessControl:
    """Who may do what: by PIN and session, by link, by port."""

    secret: bytes  # signs the tokens in forms
    organizers: StaffLogin
    links: PersonalLinks
    encrypted: HttpsInfo | None = None
    """The organizers' port and the authority browsers must trust for it; None: organizers only at the hub itself."""
