"""What would a campaign have this machine do, that its user did not ask for by name?

A campaign from a stranger is data. A program, an address or a flag that only
campaign.toml names is used when the user agrees, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analysis.campaigns.campaign_file import SETTINGS_FILE
from analysis.errors import LiveError
from analysis.runner.embedded_flags import UnknownFlagError, read_flags
from analysis.runner.flags import shown_command
from analysis.runner.plan import Plan, Planned
from analysis.runner.redaction import redacted
from analysis.runner.settings import EMBEDDED, is_address

__all__ = ["Consent", "agree", "check_consent", "in_need_of_consent", "refuse"]

Consent = Callable[[Sequence[str]], bool]
"""Shows a user what would be started, as lines, and says whether that is wanted."""


def agree(lines: Sequence[str]) -> bool:  # noqa: ARG001
    """The user has said so already."""
    return True


def refuse(lines: Sequence[str]) -> bool:  # noqa: ARG001
    """Nobody is there to ask."""
    return False


def in_need_of_consent(plan: Plan) -> list[str]:
    """What only the campaign names: the programs, addresses and commands, one a line.

    The embedded server needs no consent: it is a part of this installation, and the flags
    that it takes set numbers. Flags of that kind are harmless for a program too
    that the user names.
    """
    settings = plan.settings
    by_id = {step.planned.id: step.planned for step in plan.steps}
    found = []
    for planned in by_id.values():
        own = planned.configuration.server
        server = settings.server if own is None else own
        by_campaign = server != EMBEDDED and (own is not None or settings.server_by_campaign)
        if is_address(server):
            if by_campaign:
                found.append(f"send its prompts to {redacted(server, homes=False)}")
            continue
        flags = (*settings.server_args, *planned.configuration.server_args)
        if by_campaign or not _harmless(flags):
            _, _, words = shown_command(plan.arguments(planned)).partition(" ")
            found.append(f"run {_program(plan, planned)} {words}")
    return list(dict.fromkeys(found))


def check_consent(plan: Plan, consent: Consent) -> None:
    """Ask for what needs consent.

    Raises
    ------
    LiveError
        It was not given.
    """
    lines = in_need_of_consent(plan)
    if not lines or consent(lines):
        return
    more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
    raise LiveError(
        f"this campaign would {lines[0]}{more}",
        "if you want that, add --trust, or name the server yourself with --server",
        plan.settings.folder / SETTINGS_FILE,
        plan.settings.server_line,
    )


def _program(plan: Plan, planned: Planned) -> str:
    engine = plan.engine_of(planned)
    path = getattr(engine, "path", None)
    if path is None:
        return engine.name
    inside = path.is_relative_to(plan.settings.folder)
    return f"./{path.relative_to(plan.settings.folder)}" if inside else str(path)


def _harmless(words: Sequence[str]) -> bool:
    try:
        read_flags(words)
    except UnknownFlagError:
        return False
    return True
