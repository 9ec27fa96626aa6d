"""Which of the built-in prompts are asked?"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.errors import LiveError, one_of
from analysis.runner.prompts import Prompt, ours

__all__ = ["prompts_for"]

CHAT = ("creative", "explanation", "reasoning")
PER_WORKLOAD = 2
"""Built-in prompts of each kind of text, where none is asked for in particular."""


def prompts_for(workloads: Sequence[str]) -> list[Prompt]:
    """Some built-in prompts of each kind of text that is asked for."""
    known = ours().prompts
    kinds = list(dict.fromkeys(prompt.workload for prompt in known))
    wanted: list[str] = []
    for name in workloads:
        if name not in (*kinds, "chat"):
            raise LiveError(*one_of("the kind of text", name, [*kinds, "chat"]))
        wanted += CHAT if name == "chat" else [name]
    # The shortest list that has two of each; of one kind alone, all of it.
    chosen = list(dict.fromkeys(wanted)) or kinds
    most = PER_WORKLOAD if len(chosen) > 1 else len(known)
    return [
        prompt
        for kind in chosen
        for prompt in [one for one in known if one.workload == kind][:most]
    ]
