"""``mtpbench completion``: a script that lets the shell complete commands and options.

The script is made of the commands' own parsers and asks nothing while one types.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from importlib import import_module

__all__ = ["add_arguments", "run"]

_BASH = """\
# eval "$(mtpbench completion {shell})"
{prelude}_mtpbench() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} words
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
        case "$word" in -*) ;; *) words= ;; esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _mtpbench mtpbench
"""
_CASE = '            {name}) words="{options}" ;;'
_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"
_FISH = "# mtpbench completion fish | source\n"
_FISH_COMMAND = "complete -c mtpbench -n __fish_use_subcommand -f -a {name} -d {summary}\n"
_FISH_OPTION = "complete -c mtpbench -n '__fish_seen_subcommand_from {name}' -l {option}\n"
SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's words."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    options = {name: _options(name) for name in arguments.commands}
    write = _fish if arguments.shell == "fish" else _bash
    sys.stdout.write(write(arguments.shell, arguments.commands, options))
    return 0


def _options(command: str) -> list[str]:
    """Long options of a command, as its own parser has them."""
    parser = argparse.ArgumentParser(prog=command)
    import_module(f"analysis.commands.{command}").add_arguments(parser)
    found = [name for action in parser._actions for name in action.option_strings]  # noqa: SLF001
    return [name for name in found if name.startswith("--")]


def _bash(shell: str, commands: Mapping[str, str], options: Mapping[str, list[str]]) -> str:
    cases = [_CASE.format(name=name, options=" ".join(words)) for name, words in options.items()]
    return _BASH.format(
        shell=shell,
        prelude=_ZSH if shell == "zsh" else "",
        commands=" ".join(commands),
        cases="\n".join(cases),
    )


def _fish(shell: str, commands: Mapping[str, str], options: Mapping[str, list[str]]) -> str:
    import shlex

    del shell
    lines = [
        _FISH_COMMAND.format(name=name, summary=shlex.quote(summary))
        for name, summary in commands.items()
    ]
    lines += [
        _FISH_OPTION.format(name=name, option=option.removeprefix("--"))
        for name, words in options.items()
        for option in words
    ]
    return _FISH + "".join(lines)
