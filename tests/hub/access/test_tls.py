"""The hub's own authority: what it vouches for, for how long, and what a wrong clock or a new address does to it."""

import os
import socket
import ssl
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from roundtap_core.errors import Problem
from roundtap_hub.http.tls import (
    MADE_AFTER,
    NOWHERE,
    CertificateNames,
    Certificates,
    https_port,
    machine_names,
)
from roundtap_machine.addresses import local_addresses

NAMES = CertificateNames(("shop", "shop.local", "localhost"), ("10.42.0.1", "127.0.0.1", "192.168.1.20", "::1"))
NOW = datetime(2027, 2, 3, tzinfo=UTC)
DAY = timedelta(days=1)


def made(folder: Path, names: CertificateNames = NAMES, now: datetime = NOW) -> Certificates:
    return Certificates(folder, lambda: names, lambda: now)


def leaf(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / "tls" / "hub.crt").read_bytes())


def authority(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / "tls" / "ca.crt").read_bytes())


def shakes_hands(context: ssl.SSLContext, trusted: Path | str, name: str) -> str:
    """Whether OpenSSL, trusting one authority, believes a server: "", or what it says against it."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                try:
                    with context.wrap_socket(connection, server_side=True) as encrypted:
                        encrypted.recv(1)
                except OSError:
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            with (
                socket.create_connection(listener.getsockname()) as plain,
                ssl.create_default_context(cafile=str(trusted)).wrap_socket(plain, server_hostname=name),
            ):
                return ""
        except ssl.SSLCertVerificationError as error:
            return error.verify_message
        finally:
            thread.join()


@pytest.mark.parametrize("name", [*NAMES.hosts, *NAMES.addresses])
def test_a_browser_that_trusts_the_authority_believes_every_name_of_the_hub(tmp_path: Path, name: str):
    # OpenSSL asks this machine's clock: the certificate is made for it.
    context = made(tmp_path, now=datetime.now(UTC)).context()
    assert shakes_hands(context, tmp_path / "tls" / "ca.crt", name) == ""
    assert "mismatch" in shakes_hands(context, tmp_path / "tls" / "ca.crt", "192.168.1.21")


@pytest.mark.parametrize(
    ("name", "alternatives"),
    [
        ("bank.example", [x509.DNSName("bank.example")]),
        ("9.9.9.9", [x509.IPAddress(ip_address("9.9.9.9"))]),
        ("shop.local", [x509.DNSName("shop.local"), x509.RFC822Name("boss@bank.example")]),
        ("shop.local", [x509.DNSName("shop.local"), x509.RFC822Name("boss@shop.local")]),
        ("shop.local", [x509.DNSName("shop.local"), x509.RFC822Name(f"boss@{NOWHERE}")]),
        ("shop.local", [x509.DNSName("shop.local"), x509.UniformResourceIdentifier("https://bank.example/")]),
        ("shop.local", [x509.DNSName("shop.local"), x509.UniformResourceIdentifier("spiffe://shop.local/till")]),
        ("shop.local", [x509.DNSName("shop.local"), x509.UniformResourceIdentifier(f"https://{NOWHERE}/")]),
    ],
)
def test_whoever_steals_the_authority_speaks_for_no_site_on_the_internet_no_mailbox_and_no_address(
    tmp_path: Path, name: str, alternatives: list[x509.GeneralName]
):
    made(tmp_path, now=datetime.now(UTC))
    ca = authority(tmp_path)
    ca_key = serialization.load_pem_private_key((tmp_path / "tls" / "ca.key").read_bytes(), None)
    key = ec.generate_private_key(ec.SECP256R1())
    forged = (
        x509.CertificateBuilder()
        .issuer_name(ca.subject)
        .subject_name(x509.Name([]))
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime.now(UTC) - DAY)
        .not_valid_after(datetime.now(UTC) + DAY)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca.public_key()), False)
        .sign(ca_key, hashes.SHA256())
    )  # type: ignore[arg-type]
    (tmp_path / "forged.pem").write_bytes(
        forged.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "forged.pem")
    assert "subtree" in shakes_hands(context, tmp_path / "tls" / "ca.crt", name)


def test_an_authority_of_an_earlier_hub_stays_as_it_is_trusted(tmp_path: Path):
    """It says nothing of mailboxes and addresses with a scheme; no browser of the hall would trust another one."""
    made(tmp_path, now=datetime.now(UTC))
    ca = authority(tmp_path)
    ca_key = serialization.load_pem_private_key((tmp_path / "tls" / "ca.key").read_bytes(), None)
    permitted = ca.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or []
    builder = (
        x509.CertificateBuilder()
        .issuer_name(ca.subject)
        .subject_name(ca.subject)
        .public_key(ca.public_key())
        .serial_number(2)
        .not_valid_before(ca.not_valid_before_utc)
        .not_valid_after(ca.not_valid_after_utc)
        .add_extension(
            x509.NameConstraints(
                [each for each in permitted if isinstance(each, (x509.DNSName, x509.IPAddress))], None
            ),
            True,
        )
    )
    for each in ca.extensions:
        if not isinstance(each.value, x509.NameConstraints):
            builder = builder.add_extension(each.value, each.critical)
    earlier = builder.sign(ca_key, hashes.SHA256())  # type: ignore[arg-type]
    before = earlier.public_bytes(serialization.Encoding.PEM)
    (tmp_path / "tls" / "ca.crt").write_bytes(before)
    again = made(tmp_path, now=datetime.now(UTC))
    assert again.authority == before
    assert shakes_hands(again.context(), tmp_path / "tls" / "ca.crt", "shop.local") == ""


def test_keys_are_the_hub_s_alone(tmp_path: Path):
    before = os.umask(0)
    try:
        made(tmp_path)
    finally:
        os.umask(before)
    assert (tmp_path / "tls").stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "tls").iterdir()} == dict.fromkeys(
        ("ca.crt", "ca.key", "hub.crt", "hub.key", "hub.json"), 0o600
    )


def test_the_authority_outlives_every_start_and_so_does_the_leaf(tmp_path: Path):
    first = made(tmp_path)
    files = {path: path.read_bytes() for path in (tmp_path / "tls").iterdir()}
    again = made(tmp_path, now=NOW + 30 * DAY)
    assert {path: path.read_bytes() for path in (tmp_path / "tls").iterdir()} == files
    assert again.fingerprint == first.fingerprint


def test_the_fingerprint_is_the_one_that_browsers_show(tmp_path: Path):
    shown = made(tmp_path).fingerprint
    assert shown.replace(" ", "").lower() == authority(tmp_path).fingerprint(hashes.SHA256()).hex()
    assert [len(group) for group in shown.split(" ")] == [4] * 16


# --- time -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "now",
    [
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(2024, 7, 4, tzinfo=UTC),
        MADE_AFTER,
        NOW,
        datetime(2036, 1, 1, tzinfo=UTC),
    ],
)
def test_phones_take_a_leaf_whatever_the_machine_s_clock_said(tmp_path: Path, now: datetime):
    made(tmp_path, now=now)
    one, newest = leaf(tmp_path), max(now, MADE_AFTER)
    assert one.not_valid_after_utc - one.not_valid_before_utc <= 825 * DAY
    assert one.not_valid_before_utc <= newest - 365 * DAY
    assert one.not_valid_after_utc >= newest + 365 * DAY
    assert authority(tmp_path).not_valid_before_utc < one.not_valid_before_utc
    assert authority(tmp_path).not_valid_after_utc > datetime(2060, 1, 1, tzinfo=UTC)


def test_a_clock_that_boots_into_the_past_takes_nothing_back(tmp_path: Path):
    made(tmp_path)
    first = leaf(tmp_path)
    for past in (datetime(1970, 1, 1, tzinfo=UTC), NOW - 100 * DAY):
        made(tmp_path, now=past)
        assert leaf(tmp_path) == first
    made(tmp_path, CertificateNames(("shop",), ("10.0.0.9",)), datetime(1970, 1, 1, tzinfo=UTC))
    assert leaf(tmp_path).not_valid_after_utc == first.not_valid_after_utc, "the newest time that was known"


def test_a_leaf_is_made_anew_long_before_it_ends(tmp_path: Path):
    made(tmp_path)
    first = leaf(tmp_path)
    made(tmp_path, now=NOW + 223 * DAY)
    assert leaf(tmp_path) == first
    made(tmp_path, now=NOW + 225 * DAY)
    assert leaf(tmp_path).not_valid_after_utc > first.not_valid_after_utc


def test_a_clock_that_was_ten_years_ahead_once_does_no_harm_for_ever(tmp_path: Path):
    made(tmp_path, now=NOW + 3650 * DAY)
    assert leaf(tmp_path).not_valid_before_utc > NOW
    made(tmp_path)
    assert leaf(tmp_path).not_valid_before_utc < NOW < leaf(tmp_path).not_valid_after_utc


# --- names ----------------------------------------------------------------------------------------------------------


def test_a_new_address_makes_a_new_leaf_while_the_hub_serves(tmp_path: Path):
    names = [NAMES]
    ours = Certificates(tmp_path, lambda: names[0], lambda: datetime.now(UTC))
    context, trusted = ours.context(), tmp_path / "tls" / "ca.crt"
    assert not ours.renew()
    names[0] = CertificateNames(("shop",), ("172.16.5.5",))
    assert "mismatch" in shakes_hands(context, trusted, "172.16.5.5")
    assert ours.renew()
    ours.load(context)
    assert shakes_hands(context, trusted, "172.16.5.5") == ""
    assert not ours.renew()


def test_an_address_of_the_internet_is_left_out_and_spoils_nothing(tmp_path: Path):
    """The authority may not vouch for it; a leaf that had it would be believed for no name at all."""
    context = made(
        tmp_path,
        CertificateNames(("shop", "shop.local"), ("127.0.0.1", "193.99.144.80", "2a02:2e0::1")),
        datetime.now(UTC),
    ).context()
    assert shakes_hands(context, tmp_path / "tls" / "ca.crt", "shop.local") == ""


def test_a_machine_that_was_renamed_is_still_called_by_its_local_name(tmp_path: Path):
    made(tmp_path, now=datetime.now(UTC))
    context = made(tmp_path, CertificateNames(("other", "other.local"), ("127.0.0.1",)), datetime.now(UTC)).context()
    assert shakes_hands(context, tmp_path / "tls" / "ca.crt", "other.local") == ""


def test_this_machine_s_names_are_found():
    names = machine_names()
    assert {"127.0.0.1", "::1", "10.42.0.1"} <= set(names.addresses)
    assert "localhost" in names.hosts


def test_addresses_are_read_as_linux_lists_them(tmp_path: Path):
    (tmp_path / "fib_trie").write_text(
        "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 10.42.0.0\n        /24 link UNICAST\n     |-- 10.42.0.1\n"
        "        /32 host LOCAL\n     |-- 10.42.0.255\n        /32 link BROADCAST\nLocal:\n     |-- 10.42.0.1\n"
        "        /32 host LOCAL\n"
    )
    (tmp_path / "if_inet6").write_text(
        "fe80000000000000ba27ebfffe000001 03 40 20 80 wlan0\n00000000000000000000000000000001 01 80 10 80 lo\n"
    )
    assert [str(each) for each in local_addresses(tmp_path)] == ["10.42.0.1", "fe80::ba27:ebff:fe00:1", "::1"]
    assert local_addresses(tmp_path / "nowhere") == []


# --- what is missing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hub.crt", "hub.key", "hub.json"])
@pytest.mark.parametrize("text", [None, ""])
def test_a_leaf_that_was_cut_short_is_made_anew(tmp_path: Path, name: str, text: str | None):
    made(tmp_path)
    (tmp_path / "tls" / name).unlink()
    if text is not None:
        (tmp_path / "tls" / name).write_text(text)
    made(tmp_path).context()


@pytest.mark.parametrize("name", ["ca.crt", "ca.key"])
def test_an_authority_in_pieces_is_a_person_s_decision(tmp_path: Path, name: str):
    made(tmp_path)
    (tmp_path / "tls" / name).unlink()
    with pytest.raises(Problem, match="certificate authority"):
        made(tmp_path)
    (tmp_path / "tls" / name).write_text("nothing")
    (tmp_path / "tls" / "hub.json").unlink()
    with pytest.raises(Problem, match="certificate authority"):
        made(tmp_path)


def test_the_port_is_8443_beside_8080():
    assert https_port(8080) == 8443
    assert https_port(8080, 0) == 0
    assert https_port(8080, 443) == 443
    assert 0 < https_port(65535) < 65535
