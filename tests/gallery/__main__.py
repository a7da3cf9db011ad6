"""`make pictures`: every screen, slip and page as a PNG, to be looked at."""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

from gallery.demo_hall import demo_hall
from gallery.for_documents import own_colors
from gallery.hub_pages import pages
from gallery.moving_table import SIZE, frames
from gallery.on_paper import paper_gallery
from gallery.panel_screens import panel_gallery
from gallery.table_screens import gallery
from roundtap.kit.virtual_kit import exit_on_signals
from roundtap_core.words import LANGUAGES

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
SCREEN_SCALE = 4
SHOT_TIMEOUT_S = 60


def main() -> int:
    """Write all pictures; 2 where pages are wanted and there is no browser."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the pictures go; made if it is not there")
    parser.add_argument("--language", choices=LANGUAGES, action="append", help="only this one; may be given again")
    parser.add_argument("--no-pages", action="store_true", help="leave the web pages out (they need Chromium)")
    args = parser.parse_args()
    exit_on_signals()
    languages = tuple(args.language or LANGUAGES)
    args.folder.mkdir(parents=True, exist_ok=True)
    print(f"screens: {_screens(args.folder / 'screens', languages)}")
    print(f"paper: {_paper(args.folder / 'paper', languages)}")
    if args.no_pages:
        return 0
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("pages: no Chromium here; install chromium, or leave them out with --no-pages", file=sys.stderr)
        return 2
    print(f"pages: {_pages(args.folder / 'pages', languages, browser)}")
    print(f"frames of a table at work: {_moving(args.folder / 'demo' / 'table.gif', browser)}")
    if shutil.which("chromedriver") is None:
        print("the demo's hall: no chromedriver here; install chromium-driver", file=sys.stderr)
        return 2
    (args.folder / "demo" / "hall.png").write_bytes(demo_hall())
    print("the demo's hall: 1")
    return 0


def _screens(folder: Path, languages: tuple[str, ...]) -> int:
    folder.mkdir(exist_ok=True)
    count = 0
    for name, image in (*gallery(languages), *panel_gallery(languages)):
        image.resize((image.width * SCREEN_SCALE, image.height * SCREEN_SCALE)).save(folder / f"{name}.png")
        count += 1
    return count


def _paper(folder: Path, languages: tuple[str, ...]) -> int:
    folder.mkdir(exist_ok=True)
    count = 0
    for name, image in paper_gallery(languages):
        image.save(folder / f"{name}.png")
        count += 1
    return count


def leashed(*command: str) -> list[str]:
    """The words that start a program of somebody else's, which the kernel kills when this process dies (Linux)."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", *command] if setpriv else list(command)


@contextmanager
def _camera(browser: str) -> Iterator[Callable[[str, tuple[int, int]], Image.Image]]:
    """Takes a picture of HTML in a window of that width and height."""
    with tempfile.TemporaryDirectory(prefix="roundtap-gallery-") as profile:
        source, target = Path(profile) / "page.html", Path(profile) / "page.png"

        def take(html: str, size: tuple[int, int]) -> Image.Image:
            source.write_text(html, encoding="utf-8")
            subprocess.run(
                [
                    *leashed(browser),
                    *BROWSER_FLAGS,
                    f"--user-data-dir={profile}/browser",
                    f"--window-size={size[0]},{size[1]}",
                    f"--screenshot={target}",
                    source.as_uri(),
                ],
                check=True,
                timeout=SHOT_TIMEOUT_S,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            with Image.open(target) as taken:
                return taken.convert("RGB")

        yield take


def _pages(folder: Path, languages: tuple[str, ...], browser: str) -> int:
    folder.mkdir(exist_ok=True)
    count = 0
    with _camera(browser) as take:
        for language in languages:
            for page in pages(language):
                take(page.html, (page.width, page.height)).save(folder / f"{language}-{page.name}.png")
                count += 1
    return count


def _moving(file: Path, browser: str) -> int:
    """A table at work, as a GIF that begins again at its end. Each frame has its own colors, the commonest exactly."""
    file.parent.mkdir(exist_ok=True)
    with _camera(browser) as take:
        taken = [(own_colors(take(frame.html, SIZE)), frame.shown_ms) for frame in frames()]
    (first, *others), shown_ms = zip(*taken, strict=True)
    first.save(file, save_all=True, append_images=others, duration=shown_ms, loop=0)
    return len(taken)


if __name__ == "__main__":
    sys.exit(main())
