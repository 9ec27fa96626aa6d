"""Has a server room for what a run sends: slots for all requests, and context in each of them?"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.errors import LiveError
from analysis.runner.configurations import Configuration
from analysis.runner.prompts import Prompt
from analysis.runner.request_fields import SYSTEM
from analysis.runner.running import Running
from analysis.runner.tokenizer import tokens_of

__all__ = ["check_room"]

TEMPLATE_TOKENS = 64
"""What a chat template adds, about."""


def check_room(
    server: Running, one: Configuration, prompts: Sequence[Prompt], max_tokens: int
) -> None:
    """Refuse a server that has less slots or context than a run with an axis needs.

    What a server does not say of itself is not judged, nor are runs without an axis.

    Raises
    ------
    LiveError
        It has not enough; says how much there is and about how much it takes.
    """
    said = server.identity or {}
    slots, context = said.get("slots"), said.get("context_tokens")
    if slots is not None and slots < one.clients:
        raise LiveError(
            f"the server serves {slots:g} at once, and this run sends {one.clients} requests",
            f"start it with -np {one.clients}, or leave the larger numbers out of parallel",
        )
    if context is None or (one.parallel is None and one.context is None):
        return
    texts = [prompt.text + one.request.get(SYSTEM, "") for prompt in prompts]
    longest = max(len(tokens_of(server, text) or ()) for text in texts)
    needed = (one.context or 0) + longest + TEMPLATE_TOKENS + max_tokens + (one.n_max or 0)
    if context < needed:
        raise LiveError(
            f"each slot has {context:g} tokens of context, and this run needs about {needed}",
            f'give all {one.clients} together more: "-c", "{needed * one.clients}" in server_args',
        )
