"""Conditions: what is known in a table, what is not in a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from analysis.cards import render_sections
from analysis.summary import Summary
from tests.cards.conftest import make_run, plain, uniform


def test_a_hash_is_short_enough_for_a_page(summary_of: Callable[..., Summary]) -> None:
    own = f"sha256:{'0123456789abcdef' * 4}"
    run = make_run("mtp-4", uniform(150.0, 195, 120), "draft-mtp", 4, "MTP, 4")
    runs = [replace(one, prompt_set=own) for one in (run, plain())]
    text = render_sections(summary_of(runs, baseline="plain"))["conditions"]
    assert "| Prompts | sha256:0123456789ab… |" in text


def test_the_name_of_a_set_of_prompts_stays(summary_of: Callable[..., Summary]) -> None:
    run = make_run("mtp-4", uniform(150.0, 195, 120), "draft-mtp", 4, "MTP, 4")
    runs = [replace(one, prompt_set="mtp-bench") for one in (run, plain())]
    text = render_sections(summary_of(runs, baseline="plain"))["conditions"]
    assert "| Prompts | mtp-bench |" in text
    assert "sampler" in text
