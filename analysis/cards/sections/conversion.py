"""Conversion: where the weights come from."""

from __future__ import annotations

from analysis.cards.escaping import Markdown, escape, say
from analysis.cards.facts import Facts
from analysis.cards.markdown import join, paragraphs, repository
from analysis.cards.section import Figures, Section

HEADING = "Conversion"
FROM = "The weights are those of {models}, as {form}."
FROM_PLAIN = "The weights are those of {models}."


def write(facts: Facts, figures: Figures) -> Section | None:  # noqa: ARG001
    """Source and way of the conversion; null where the campaign states neither."""
    card = facts.summary.campaign.card
    models = card.get("base_model")
    names = [str(name) for name in models] if isinstance(models, list) else [models]
    linked = [repository(str(name)) for name in names if name]
    form = " ".join(str(card[key]) for key in ("format", "quantization") if key in card)
    note = card.get("conversion")
    if not linked and not note:
        return None
    words = FROM if form else FROM_PLAIN
    source = say(words, models=join(linked), form=form) if linked else None
    return Section(
        HEADING, paragraphs(source, escape(str(note), limit=1000) if note else Markdown(""))
    )
