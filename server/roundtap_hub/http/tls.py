"""The hub's own certificate authority, made once, and its server certificate, which it renews by itself."""

from __future__ import annotations

import hashlib
import json
import secrets
import socket
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtap_core.errors import Problem
from roundtap_hub.store.secure_files import make_private_folder, write_private
from roundtap_machine.addresses import local_addresses
from roundtap_machine.wifi import ADDRESS

if TYPE_CHECKING:
    from cryptography import x509

SECURE_ABOVE = 363  # HTTPS is this far above the plain port by default: 8443 beside 8080
PORT_MAX = 65535

FOLDER = "tls"
AUTHORITY, AUTHORITY_KEY = "ca.crt", "ca.key"
LEAF, LEAF_KEY, LEAF_FOR = "hub.crt", "hub.key", "hub.json"

AUTHORITY_FROM, AUTHORITY_UNTIL = datetime(2020, 1, 1, tzinfo=UTC), datetime(2069, 12, 31, tzinfo=UTC)
"""A trusted authority stays valid, whatever any clock shows."""
MADE_AFTER = datetime(2026, 11, 1, tzinfo=UTC)  # this program is not older: a clock before this date is wrong
BACK, AHEAD = timedelta(days=400), timedelta(days=424)
"""A leaf's validity before and after the newest known time. iPhones accept 825 days in all at most; a clock that stands
still finds the leaf valid for 424 days."""
RENEW_BEFORE = timedelta(days=200)

HOTSPOT = ip_address(ADDRESS)  # the hub's address where it is the hall's access point
LOCAL_DOMAINS = ("localhost", "local", "lan", "home.arpa", "internal")
PRIVATE_NETWORKS = (
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "fc00::/7",
    "fe80::/10",
    "::1/128",
)
"""All that this authority may certify: its key, if stolen, is useless beyond private networks."""
NOWHERE = "roundtap.invalid"
"""The only host whose mailboxes and URIs would be permitted, and excluded too: so none is (RFC 5280, 4.2.1.10). An
empty name would exclude all only by the letter of the standard: OpenSSL takes it to match none."""


@dataclass(frozen=True, slots=True)
class HttpsInfo:
    """The hub's HTTPS port, and its authority's certificate (PEM) and fingerprint."""

    port: int
    authority: bytes
    fingerprint: str


@dataclass(frozen=True, slots=True)
class CertificateNames:
    """The names and addresses of a certificate."""

    hosts: tuple[str, ...]
    addresses: tuple[str, ...]


class Certificates:
    """The files in the folder `tls` of a hub's data, made where they are missing. `names`: the machine's, read each
    time; `now`: the system's time, which may be far in the past; `borrowed`: they are another hub's, which renews them.
    Raises Problem("tls_unreadable") where the authority cannot be used: browsers would not trust a new one."""

    def __init__(
        self,
        folder: Path,
        names: Callable[[], CertificateNames] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        borrowed: bool = False,
    ) -> None:
        self._borrowed = borrowed
        self._folder = folder / FOLDER
        self._names = names or machine_names
        self._now = now
        make_private_folder(self._folder)
        there = [(self._folder / name).exists() for name in (AUTHORITY, AUTHORITY_KEY)]
        if not any(there):
            self._make_authority()
        elif not all(there):
            raise Problem("tls_unreadable", where=str(self._folder))
        self.authority = (self._folder / AUTHORITY).read_bytes()
        self.fingerprint = fingerprint(self.authority, self._folder / AUTHORITY)
        try:
            self.renew()
        except OSError:
            # On a full or read-only disk the certificate from before serves on.
            if self._made_for() is None:
                raise

    def context(self) -> ssl.SSLContext:
        """The context of a server; `renew` and `load` change its certificate while it serves."""
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.minimum_version = ssl.TLSVersion.TLSv1_2
        made.set_alpn_protocols(["http/1.1"])
        # A ticket would cost memory for as long as the connection is open; a browser keeps its connections instead.
        made.num_tickets = 0
        if ssl.OPENSSL_VERSION_INFO >= (3, 5):
            # Browsers have it since 2017. Of the larger keys that OpenSSL prefers since then, a connection keeps 10 kB.
            made.set_ecdh_curve("X25519")
        try:
            self.load(made)
        except Problem:
            # The leaf is unusable: the trusted authority makes another.
            self._make_leaf(self._names(), self._newest(None))
            self.load(made)
        return made

    def load(self, context: ssl.SSLContext) -> None:
        """Use the current certificate from the next connection on."""
        try:
            context.load_cert_chain(self._folder / LEAF, self._folder / LEAF_KEY)
        except (OSError, ssl.SSLError) as error:
            raise Problem("tls_unreadable", where=str(self._folder)) from error

    def renew(self) -> bool:
        """Make a new leaf if the machine's names have changed, or if it expires soon; whether one may be new."""
        if self._borrowed:
            return True
        names, made_for = self._names(), self._made_for()
        newest = self._newest(made_for[1] if made_for else None)
        if made_for is not None and made_for[0] == names and -BACK <= newest - made_for[1] < AHEAD - RENEW_BEFORE:
            return False
        self._make_leaf(names, newest)
        return True

    def _newest(self, last_newest: datetime | None) -> datetime:
        """The newest plausible time. A clock slightly behind `last_newest` lags; one behind by more than a leaf's
        days was ahead before, and has been corrected."""
        now = self._now()
        if last_newest is not None and (now < MADE_AFTER or last_newest - BACK <= now < last_newest):
            return last_newest
        return max(now, MADE_AFTER)

    def _made_for(self) -> tuple[CertificateNames, datetime] | None:
        """The leaf's names and the newest time known when it was made; None: there is no usable leaf."""
        try:
            made_for = json.loads((self._folder / LEAF_FOR).read_text(encoding="utf-8"))
            leaf = (self._folder / LEAF).read_bytes()
            # Unusable where its key is missing, or it belongs to another hub or authority.
            if (
                not (self._folder / LEAF_KEY).exists()
                or made_for["leaf"] != hashlib.sha256(leaf).hexdigest()
                or made_for["authority"] != self.fingerprint
            ):
                return None
            return CertificateNames(tuple(made_for["hosts"]), tuple(made_for["addresses"])), datetime.fromisoformat(
                made_for["newest"]
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    # Needed only on the first start and after changes, so that the library is imported inside.

    def _make_authority(self) -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID

        key = ec.generate_private_key(ec.SECP256R1())
        # A random part distinguishes hubs' authorities in a phone's list.
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Roundtap hub {secrets.token_hex(3)}")])
        permitted: list[x509.GeneralName] = [
            x509.DNSName(name) for name in dict.fromkeys((*self._names().hosts, *LOCAL_DOMAINS))
        ]
        permitted += [x509.IPAddress(ip_network(network)) for network in PRIVATE_NETWORKS]
        none = [x509.RFC822Name(NOWHERE), x509.UniformResourceIdentifier(NOWHERE)]
        built = _certificate(
            name,
            name,
            key.public_key(),
            AUTHORITY_FROM,
            AUTHORITY_UNTIL,
            [
                (x509.BasicConstraints(ca=True, path_length=0), True),
                (_key_usage(key_cert_sign=True, crl_sign=True), True),
                (x509.NameConstraints([*permitted, *none], none), True),
                (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
            ],
            key,
        )
        # The certificate last: where it exists, its key does.
        write_private(self._folder / AUTHORITY_KEY, _pem_of(key))
        write_private(self._folder / AUTHORITY, _pem(built))

    def _make_leaf(self, names: CertificateNames, newest: datetime) -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

        try:
            authority = x509.load_pem_x509_certificate(self.authority)
            authority_key: Any = serialization.load_pem_private_key(
                (self._folder / AUTHORITY_KEY).read_bytes(), password=None
            )
        except (OSError, ValueError) as error:
            raise Problem("tls_unreadable", where=str(self._folder)) from error
        key = ec.generate_private_key(ec.SECP256R1())
        permitted = authority.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or []
        below = [each.value for each in permitted if isinstance(each, x509.DNSName)]
        networks: list[Any] = [each.value for each in permitted if isinstance(each, x509.IPAddress)]
        alternatives = [
            x509.DNSName(host)
            for host in names.hosts
            if any(host == name or host.endswith(f".{name}") for name in below)
        ]
        reached = [
            x509.IPAddress(address)
            for address in map(ip_address, names.addresses)
            if any(address in network for network in networks)
        ]
        built = _certificate(
            authority.subject,
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Roundtap")]),
            key.public_key(),
            newest - BACK,
            newest + AHEAD,
            [
                (x509.BasicConstraints(ca=False, path_length=None), True),
                (_key_usage(digital_signature=True), True),
                (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
                (x509.SubjectAlternativeName([*alternatives, *reached]), False),
                (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
                (x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), False),
            ],
            authority_key,
        )
        leaf = _pem(built)
        # The description last: after a power cut in between, another leaf is made at the next start.
        write_private(self._folder / LEAF_KEY, _pem_of(key))
        write_private(self._folder / LEAF, leaf)
        write_private(
            self._folder / LEAF_FOR,
            json.dumps(
                {
                    "hosts": names.hosts,
                    "addresses": names.addresses,
                    "newest": newest.isoformat(),
                    "leaf": hashlib.sha256(leaf.encode()).hexdigest(),
                    "authority": self.fingerprint,
                }
            ),
        )


def https_port(port: int, given: int | None = None) -> int:
    """The HTTPS port beside the plain one; 0: no HTTPS."""
    if given is not None:
        return given
    return port + SECURE_ABOVE if port + SECURE_ABOVE <= PORT_MAX else port - SECURE_ABOVE


def fingerprint(authority: bytes, path: Path) -> str:
    """SHA-256 of a certificate (PEM), as browsers show it, in groups of four: "A1B2 C3D4 …"."""
    try:
        digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(authority.decode("ascii"))).hexdigest().upper()
    except ValueError as error:
        raise Problem("tls_unreadable", where=str(path)) from error
    return " ".join(digest[at : at + 4] for at in range(0, len(digest), 4))


def machine_names() -> CertificateNames:
    """All names and addresses by which browsers in the hall may reach this machine."""
    host = socket.gethostname().split(".")[0].lower()
    hosts = [host, f"{host}.local"] if host and host.replace("-", "").isalnum() and host.isascii() else []
    addresses = {HOTSPOT, ip_address("127.0.0.1"), ip_address("::1"), *local_addresses()}
    return CertificateNames(
        tuple(dict.fromkeys([*hosts, "localhost"])),
        tuple(str(each) for each in sorted(addresses, key=lambda each: (each.version, int(each)))),
    )


def _certificate(
    issuer: x509.Name,
    subject: x509.Name,
    key: Any,
    first: datetime,
    last: datetime,
    extensions: Iterable[tuple[x509.ExtensionType, bool]],
    signer: Any,
) -> x509.Certificate:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    built = (
        x509.CertificateBuilder()
        .issuer_name(issuer)
        .subject_name(subject)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(first)
        .not_valid_after(last)
    )
    for extension, critical in extensions:
        built = built.add_extension(extension, critical)
    return built.sign(signer, hashes.SHA256())


def _key_usage(**allowed: bool) -> x509.KeyUsage:
    from cryptography import x509

    uses = (
        "digital_signature",
        "content_commitment",
        "key_encipherment",
        "data_encipherment",
        "key_agreement",
        "key_cert_sign",
        "crl_sign",
        "encipher_only",
        "decipher_only",
    )
    return x509.KeyUsage(**{use: allowed.get(use, False) for use in uses})


def _pem(certificate: x509.Certificate) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM).decode()


def _pem_of(key: Any) -> str:
    from cryptography.hazmat.primitives import serialization

    return str(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode()
    )
