"""The names that the hotspot's own name server answers: the hub's, and those that phones ask for the internet."""

from __future__ import annotations

from roundtap.network.hotspot_profile import ADDRESS

HUB = ADDRESS.partition("/")[0]
OWN = ("roundtap.local", "roundtap.lan", "roundtap.home.arpa")
PROBED = (
    # Android, ChromeOS, and makers who have their own.
    "connectivitycheck.gstatic.com", "connectivitycheck.android.com", "clients3.google.com", "play.googleapis.com",
    "connect.rom.miui.com", "connectivitycheck.platform.hicloud.com", "conn1.oppomobile.com", "wifi.vivo.com.cn",
    "connectivitycheck.grapheneos.network",
    # iPhone, iPad, Mac.
    "captive.apple.com",
    # Windows.
    "www.msftconnecttest.com", "www.msftncsi.com",
    # Firefox; NetworkManager of Debian, GNOME, Ubuntu and Arch; KDE; Steam; Kindle.
    "detectportal.firefox.com", "network-test.debian.org", "nmcheck.gnome.org", "connectivity-check.ubuntu.com",
    "ping.archlinux.org", "networkcheck.kde.org", "test.steampowered.com", "spectrum.s3.amazonaws.com",
)
"""Only hosts that are there for this, and nothing else."""
WINDOWS_DNS = ("dns.msftncsi.com", "131.107.255.255")
"""Windows asks the name server as well, and wants this very answer."""

LINES = "".join((
    "# Names on the hub's hotspot; goes to /etc/NetworkManager/dnsmasq-shared.d. Made by `roundtap hotspot on`.\n",
    *(f"address=/{name}/{HUB}\n" for name in (*OWN, *PROBED)), "address=/{}/{}\n".format(*WINDOWS_DNS)))
