"""Credits: whose work this is, and under which licence."""

from __future__ import annotations

from analysis.cards.escaping import Markdown, code, escape, say
from analysis.cards.facts import Facts
from analysis.cards.front_matter import front_matter
from analysis.cards.markdown import bullets, link, paragraphs, repository
from analysis.cards.numbers import UNRECORDED
from analysis.cards.section import Figures, Section

HEADING = "Credits and licence"
LISTED = "Licence: {license}."
UPSTREAM = (
    "Licence: {license}. Rights in the weights, and the conditions for using them, stay with their "
    "authors; this repository adds a conversion and measurements."
)
ORIGINAL = "{model}: the original weights"
TARGET = "{model}: the target model"


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """Credits as the campaign states them, or else the models; never null."""
    return Section(HEADING, paragraphs(bullets(_credits(facts)), _license(facts)))


def _credits(facts: Facts) -> list[Markdown]:
    campaign = facts.summary.campaign
    stated = campaign.card.get("credits")
    if isinstance(stated, list) and stated:
        return [escape(str(item)) for item in stated]
    models = front_matter(campaign).base_model
    said = [say(ORIGINAL, model=repository(model)) for model in models]
    if campaign.target:
        said.append(say(TARGET, model=repository(campaign.target)))
    return said


def _license(facts: Facts) -> Markdown:
    head = front_matter(facts.summary.campaign)
    if head.license is None or head.license == "unknown":
        return say(UPSTREAM, license=UNRECORDED)
    if head.license == "other":
        name = head.license_name or head.license
        shown = link(name, head.license_link) if head.license_link else escape(name)
        return say(UPSTREAM, license=shown)
    return say(LISTED, license=code(head.license))
