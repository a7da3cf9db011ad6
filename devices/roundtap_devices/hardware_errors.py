"""What a board lacks: a library, a bus, or a display that answers. A unit works without it, and reports it."""

import errno

SYSTEM_SITE = "; the environment is made with --system-site-packages"


class HardwareMissing(OSError):
    """`kind`: one of TEXTS, for catalogues ("missing.KIND"); `detail`: the system's error. `str()` is English."""

    TEXTS = {
        "lgpio": f"lgpio is missing: apt install python3-lgpio{SYSTEM_SITE}",
        "luma": "luma.oled is missing: pip install 'roundtap[unit]'",
        "spidev": f"spidev is missing, which displays on SPI want: apt install python3-spidev{SYSTEM_SITE}",
        "chip": "no GPIO of a Pi is there",
        "pins": "a pin is held by another program",
        "i2c": "I2C is off: dtparam=i2c_arm=on in config.txt, i2c-dev in /etc/modules-load.d, and a new start",
        "spi": "SPI is off: dtparam=spi=on in config.txt, and a new start",
        "permission": "this user may not reach it: is it in the groups gpio, i2c and spi?",
        "display": "no display answers: its wires, its supply; a module with seven pins (DC, CS) speaks SPI, not I2C",
    }

    def __init__(self, kind: str, detail: object = "") -> None:
        super().__init__(kind, str(detail))
        self.kind, self.detail = kind, str(detail)

    def __str__(self) -> str:
        return self.TEXTS[self.kind] + (f" ({self.detail})" if self.detail else "")


def as_hardware_missing(error: BaseException, otherwise: str) -> HardwareMissing:
    """Classifies an error of a library or the system; `otherwise` is the kind where the error does not show it."""
    if isinstance(error, HardwareMissing):
        return error
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").split(".")[0]
        kinds = {
            "lgpio": "lgpio",
            "spidev": "spidev",
            "luma": "luma",
            "smbus2": "luma",
            "PIL": "luma",
            "gpiozero": "luma",
        }
        return HardwareMissing(kinds.get(package, otherwise), "" if package in kinds else error)
    if getattr(error, "errno", None) in (errno.EPERM, errno.EACCES) or "permission" in str(error).lower():
        return HardwareMissing("permission", error)
    return HardwareMissing(otherwise, error)
