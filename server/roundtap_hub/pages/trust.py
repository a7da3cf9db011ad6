"""How to trust this hub: its authority's certificate, and the words for it. On the plain port, too: it comes first."""

from __future__ import annotations

from flask import Response, abort
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.pages.base import page, the_hub
from roundtap_hub.policy import EVERYBODY, route

KIND = "application/x-x509-ca-cert"
"""By this phones offer to install it."""


@route("GET /trust", EVERYBODY)
def trust() -> AnyResponse:
    encrypted = the_hub().access.encrypted
    if encrypted is None:
        abort(404)
    return page("trust.html", encrypted=encrypted)


@route("GET /ca.crt", EVERYBODY)
def authority() -> AnyResponse:
    encrypted = the_hub().access.encrypted
    if encrypted is None:
        abort(404)
    response = Response(encrypted.authority, content_type=KIND)
    response.headers["Content-Disposition"] = 'attachment; filename="roundtap-ca.crt"'
    return response
