"""The command line: forwards, prints errors, sets exit codes.

Each command is a module in ``analysis/commands`` with ``add_arguments(parser)``
and ``run(arguments) -> int``. Only the one that is called is imported.
"""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import pairwise

from analysis.errors import INTERRUPTED, MtpbenchError, likely_meant, said

__all__ = ["COMMANDS", "main"]

COMMANDS: Mapping[str, str] = {
    "ingest": "read any supported log or folder; print runs, tasks and findings",
    "report": "render campaigns through the notebooks into report folders",
    "tune": "find the fastest setting of this machine for a model, measuring what decides",
    "recommend": "say which settings to run for which workload, with the evidence",
    "run": "measure a campaign on llama.cpp, as its [live] says",
    "explain": "explain a finding: why it matters and what to do",
    "replay": "say what other depths, thresholds and policies would have done on a log",
    "collect": "write many campaigns' figures into Parquet tables",
    "card": "print a campaign's model card, or put its sections into a README",
    "push": "put a campaign's card into its repository on the Hub",
    "compare": "put campaigns side by side: what differs, and what became slower",
    "scrub": "copy a log without paths, keys and names, so that it can be posted",
    "check": "recompute every figure that a README states; print those that differ",
    "completion": "print a script that lets the shell complete commands and options",
}

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::?[A-Za-z0-9+.-]+)*+://\S+\Z")
_TAKE_AN_ADDRESS = ("--server", "--scheduler")
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments
        Words after the command name; by default the process's own.

    Returns
    -------
    int
        0 done, 1 a user's mistake or a failed check, 2 usage, 130 interrupted.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="mtpbench",
        description="Benchmarks of speculative decoding on llama.cpp: read, judged, written up.",
    )
    parser.add_argument("--version", action=_Version, help="say which version this is, and end")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        if words and words[0] == name:
            module = import_module(f"analysis.commands.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run, commands=COMMANDS)
    _refuse_a_slip(parser, words)
    chosen = parser.parse_args(words)
    try:
        _refuse_an_address(words)
        code = _written(chosen)
    except MtpbenchError as error:
        print(said(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted: nothing unfinished was kept", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`mtpbench card … | head`): not a fault.
        sys.stderr.close()
        return 0
    except OSError as error:
        # An error that names a file is a fault of ours; only the output's own are expected here.
        if error.filename is not None or error.errno not in _UNWRITABLE:
            raise
        why = f"the output can't be written: {error.strerror}"
        print(f"error: {why}; free some space", file=sys.stderr)
        # What is still buffered would fail again when the interpreter ends, with a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _refuse_a_slip(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    if words and (meant := likely_meant(words[0], tuple(COMMANDS))):
        parser.error(f"there is no command {words[0]!r}; did you mean {meant!r}?")


def _refuse_an_address(words: Sequence[str]) -> None:
    """Nothing is fetched or sent by a path: an address would name a folder ``s3:`` here."""
    for before, word in pairwise(["", *words]):
        option, equals, value = word.partition("=")
        given, option = (value, option) if equals and word.startswith("-") else (word, before)
        if _ADDRESS.match(given) and option not in _TAKE_AN_ADDRESS:
            problem = "this is an address, and only files of this machine are read and written"
            raise MtpbenchError(problem, "name a file or folder; copy it yourself", given)


class _Version(argparse.Action):
    """Looks the version up when it is asked for: no other call has to wait for that."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib import metadata

        try:
            version = metadata.version("mtpbench")
        except metadata.PackageNotFoundError:
            version = "of a clone that is not installed"
        print(f"mtpbench {version}")
        parser.exit()


def _written(chosen: argparse.Namespace) -> int:
    """Run the command, and be sure that what it printed has arrived."""
    code = int(chosen.run(chosen))
    sys.stdout.flush()
    return code
