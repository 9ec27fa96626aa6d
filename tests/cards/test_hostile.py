"""Whatever strangers call their runs, tasks and machines, the card keeps its shape."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from analysis.campaigns.campaign import Campaign
from analysis.cards import known_names, render
from analysis.cards.escaping import clean
from analysis.cards.markers import find_spans
from analysis.page import page
from analysis.summary import summarise
from tests.cards.conftest import make_run, uniform

GFM = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
PIECES = [
    "<script>alert(1)</script>",
    "<!-- mtpbench:end overall -->",
    "<!-- mtpbench:begin raw -->",
    "</details>",
    "</summary>",
    "<img src=x onerror=alert(1)>",
    "| a | b |",
    "---\nlicense: mit\n---",
    "```",
    "~~~~",
    "](javascript:alert(1))",
    "# heading",
    "> quote",
    "- item",
    "\n\n",
    "\r",
    "\u202e",
    "\u2066",
    "\x00",
    "\x1b[31m",
    "&lt;",
    "\\",
    "`",
    "*b*",
    "{x.__class__}",
    "x" * 10_000,
    "plain",
]
TEXT = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map(" ".join)


def campaign(label: str, task: str, title: str, condition: str, model: str) -> Campaign:
    rows = [(task if at == 0 else row[0], *row[1:]) for at, row in enumerate(uniform(130.0, 9, 5))]
    plain = [(row[0], 192, 0, 0, 100.0) for row in rows]
    return Campaign(
        "made",
        Path("made"),
        title,
        target=model,
        baseline="plain",
        conditions={"gpu": condition, condition[:80]: "x"},
        card={"license": "mit", "base_model": model, "target_file": model, "draft_file": model},
        runs=(
            make_run("a2", rows, n_max=2, label=label),
            make_run("a3", rows, n_max=3, label=f"{label} 3"),
            make_run("plain", plain, "none", None, "Plain"),
        ),
    )


USUAL = render(summarise(campaign("A", "my_own_task", "Title", "GPU", "org/model")))


@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(TEXT, TEXT, TEXT, TEXT, TEXT)
def test_no_text_breaks_card_or_page(
    label: str, task: str, title: str, condition: str, model: str
) -> None:
    card = render(summarise(campaign(label, task, title, condition, model)))
    head, body = re.fullmatch(r"---\n(.*?)\n---\n(.*)", card, re.DOTALL).groups()  # type: ignore[union-attr]
    # A model's name of which nothing can be shown is no name.
    nameless = set() if clean(model).strip() else {"base_model", "base_model_relation"}
    assert set(yaml.safe_load(head)) == set(yaml.safe_load(USUAL.split("---\n")[1])) - nameless
    spans = find_spans(card, known_names())
    assert len(spans) == body.count("<!-- mtpbench:begin") == body.count("<!-- mtpbench:end")
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x1b\r]", card)
    for shown in (GFM.render(body), page(card, Path("made"))):
        assert "<script>alert" not in shown
        assert "onerror=alert(1)>" not in shown
        assert 'href="javascript' not in shown
        assert "x" * 1_500 not in shown
    rendered, usual = GFM.render(body), GFM.render(USUAL.split("---\n", 2)[2])
    for tag in ("<h1", "<h2", "<pre", "<hr", "<table"):
        assert rendered.count(tag) == usual.count(tag), tag
    for line in card.splitlines():
        if line.startswith("| "):
            assert line.endswith(" |")
