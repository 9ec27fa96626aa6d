"""Rates that count different things are shown and not compared."""

from analysis import cards
from tests import committed
from tests.cards.conftest import make_run, plain, uniform

ANYWHERE = "accepted-anywhere/drafted"


def section(summary_of, **fields):
    runs = [
        make_run("plain", uniform(20.0, 0, 0), spec_type="none", n_max=None),
        make_run("one", uniform(30.0, 200, 120)),
        make_run("other", uniform(40.0, 200, 100), n_max=4, **fields),
    ]
    made = summary_of(runs, baseline="plain")
    whole = committed.summarised(made.campaign, committed.audited(made.campaign))
    return cards.render(whole), cards.render_sections(whole)["acceptance"]


def test_one_definition_is_compared(summary_of):
    text, acceptance = section(summary_of)
    assert "ranked by acceptance" in acceptance
    assert "definitions-mixed" not in text


def test_two_are_not_and_the_limits_say_so(summary_of):
    text, acceptance = section(summary_of, acceptance_definition=ANYWHERE)
    assert "These rates count different things (accepted/drafted, accepted-anywhere/drafted)" in (
        acceptance.replace("\\", "")
    )
    for comparison in ("ranked by acceptance", "highest", "the most"):
        assert comparison not in acceptance
    # The rates themselves stand in the table, and the finding under the limits.
    assert "60.0 %" in acceptance or "60 %" in acceptance
    limits = text.partition("## Limits")[2]
    assert "definitions-mixed" in limits


def test_a_single_configuration_has_its_rate_said_once(summary_of):
    slow = make_run("slow", uniform(20.0, 300, 200), n_max=3)
    summary = summary_of([slow, plain()], baseline="plain")
    text = cards.render_sections(summary)["acceptance"]
    why = text[text.index("<details>") :]
    assert why.count("66.7 % of its drafts") == 1
    # 960 tokens at 20 and at 100 tok/s, and half a second of prompts: 10.1 of 48.5 s.
    assert "Here it is 79.2 % slower than no speculation." in why
