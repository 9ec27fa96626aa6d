"""``mtpbench tune``: the fastest setting of this machine for a model, measured."""

from __future__ import annotations

import argparse
import shlex
import sys

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("model", metavar="MODEL.gguf", help="the model's file, or package:NAME")
    parser.add_argument(
        "--server-args",
        type=shlex.split,
        metavar="FLAGS",
        default=[],
        help='llama-server\'s flags for every server, as one word: "-ngl 99 -c 8192"',
    )
    parser.add_argument(
        "--draft",
        metavar="FILE",
        action="append",
        default=[],
        help="a draft model for it; may be given several times",
    )
    parser.add_argument(
        "--server",
        metavar="SERVER",
        default="embedded",
        help="the path of a llama-server; by default the embedded one",
    )
    parser.add_argument(
        "--for",
        dest="workloads",
        metavar="KIND",
        default="",
        help="kinds of text that matter, with commas: code, chat, reasoning, creative, explanation",
    )
    parser.add_argument("--minutes", type=minutes, metavar="M", help="begin nothing after this")
    parser.add_argument(
        "--max-tokens", type=tokens, default=192, metavar="N", help="of each answer (192)"
    )
    parser.add_argument("--parallel", type=int, metavar="N", help="requests at once (1)")
    parser.add_argument(
        "--context", type=int, metavar="N", help="tokens of other text before each task (0)"
    )
    parser.add_argument("--out", metavar="DIR", help="the campaign folder (raw/tune-MODEL)")
    parser.add_argument("--resume", action="store_true", help="go on with what was begun there")
    parser.add_argument(
        "--explain", action="store_true", help="write the decision log into the folder"
    )


def minutes(text: str) -> float:
    """Minutes above 0; its name is what argparse says of anything else."""
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"{text} is no number of minutes above 0")
    return value


def tokens(text: str) -> int:
    """A number of tokens of which at least one is timed."""
    value = int(text)
    if not 2 <= value <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text} is no number of tokens from 2")
    return value


def run(arguments: argparse.Namespace) -> int:
    """Tune; 130 when it was interrupted, with the best so far said all the same."""
    from analysis.errors import INTERRUPTED, printable
    from analysis.files.storage import write_text
    from analysis.tuning.tune import tune
    from analysis.tuning.words import preset, said

    tuned = tune(
        arguments.model,
        arguments.draft,
        arguments.server,
        workloads=[word.strip() for word in arguments.workloads.split(",") if word.strip()],
        minutes=arguments.minutes,
        out=arguments.out,
        resume=arguments.resume,
        explain=arguments.explain,
        max_tokens=arguments.max_tokens,
        server_args=arguments.server_args,
        parallel=arguments.parallel,
        context=arguments.context,
    )
    if tuned.advised is not None:
        write_text(tuned.folder / "preset.ini", preset(tuned, tuned.advised) + "\n")
    print("\n".join(printable(line) for line in said(tuned).split("\n")))
    if tuned.interrupted:
        print("error: interrupted; every finished request is kept, --resume goes on",
              file=sys.stderr)  # fmt: skip
        return INTERRUPTED
    return 0
