"""Results as plain pages, for a club's web page: a folder that opens without a server, replaced whole each time."""

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from roundtap.headless import cli_io
from roundtap_core.command_arguments import argument
from roundtap_core.errors import Problem
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.eventfile.site import MARK, site_pages
from roundtap_core.words import LANGUAGES, Words, core_words

ARGUMENTS = (
    argument("files", nargs="+", metavar="EVENT.json", help="event files; - reads standard input"),
    argument("folder", type=Path, metavar="DIR", help="a new folder, or one of an older site, which is replaced"),
    argument("--language", choices=LANGUAGES, help="the pages' language; without it, the one of this machine"),
)


def run(args: Namespace) -> int:
    words, where = cli_io.cli_words(), args.folder
    try:
        events = (parse_event_file(cli_io.read_text(where := file)) for file in args.files)
        pages = site_pages(events, core_words(args.language or words.language))
    except Problem as problem:
        return cli_io.print_refusal(cli_io.error_line(str(where), problem, words))
    return publish_site(args.folder, pages, len(args.files), words)


def publish_site(folder: Path, pages: Mapping[str, bytes], events: int, words: Words) -> int:
    """Put the pages into its folder, and say so; the exit code."""
    try:
        replace_site(folder.resolve(), pages)
    except Problem as problem:
        return cli_io.print_refusal(cli_io.error_line(str(folder), problem, words))
    except OSError as error:
        return cli_io.print_refusal(f"roundtap site: {cli_io.error_of_system(error, folder)}")
    cli_io.print_error(words("site.made", n=events, folder=folder))
    return cli_io.DONE


def replace_site(folder: Path, pages: Mapping[str, bytes]) -> None:
    """Write the pages beside `folder`, then put them in its place. Raises Problem("no_site") where that holds anything
    but an older site, and OSError; then nothing has changed."""
    for held in folder.iterdir() if folder.exists() else ():
        if held.suffix != ".html" or MARK.encode() not in held.read_bytes():
            raise Problem("no_site", name=held.name)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix=".") as beside:
        (new := Path(beside, "new")).mkdir()
        for name, page in pages.items():
            (new / name).write_bytes(page)
        if folder.exists():
            folder.rename(old := Path(beside, "old"))
            try:
                new.rename(folder)
            except OSError:
                old.rename(folder)
                raise
        else:
            new.rename(folder)
