"""Campaign facts in, the YAML block of a Hub card out. Nothing is read or written.

What the Hub accepts is in its model card specification: a listed licence
identifier or ``other`` with a name and a link, ``base_model`` as what the
weights derive from and one of four relations to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from analysis.campaigns.campaign import SETTINGS_FILE, Campaign
from analysis.cards.escaping import clean
from analysis.errors import CampaignError, one_of
from analysis.hub.terms import CARD_KEYS, LICENSES, RELATIONS

__all__ = ["FrontMatter", "front_matter", "method_tags"]


@dataclass(frozen=True)
class FrontMatter:
    """The fields of the block, in the order in which they are written.

    Null and empty fields are left out.
    """

    license: str | None = None
    license_name: str | None = None
    license_link: str | None = None
    language: tuple[str, ...] = ()
    base_model: tuple[str, ...] = ()
    base_model_relation: str | None = None
    pipeline_tag: str | None = "text-generation"
    tags: tuple[str, ...] = field(default=())
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain data; a single base model is a text, several are a list."""
        data: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name == "more":
                data |= value
                continue
            if isinstance(value, tuple):
                value = list(value)
                if name == "base_model" and len(value) == 1:
                    value = value[0]
            if value:
                data[name] = value
        return data

    def __str__(self) -> str:
        """The block with its two ``---`` lines, LF, ending in a line break."""
        body = yaml.safe_dump(
            self.as_dict(),
            sort_keys=False,
            allow_unicode=True,
            default_flow_style=False,
            width=float("inf"),
        )
        return f"---\n{body}---\n"


def front_matter(campaign: Campaign, methods: Sequence[str] = ()) -> FrontMatter:
    """The block of a campaign's card.

    Parameters
    ----------
    campaign
        Its ``[card]`` table has the facts: `license`, `license_name`,
        `license_link`, `language`, `base_model`, `base_model_relation`,
        `pipeline_tag`, `tags`; keys that mean nothing here are passed on.
    methods
        llama-server's names of the speculation that the card is about.

    Returns
    -------
    FrontMatter
        A licence that the Hub does not list becomes ``other`` with that name;
        ``other`` without a link becomes ``unknown``.

    Raises
    ------
    CampaignError
        The relation to the base model is none of the Hub's.
    """
    card = campaign.card
    models = _texts(card, "base_model")
    relation = _text(card, "base_model_relation") or "quantized"
    if relation not in RELATIONS:
        problem, remedy = one_of("base_model_relation", relation, RELATIONS)
        raise CampaignError(problem, remedy, file=campaign.folder / SETTINGS_FILE)
    license_, name, address = _license(card)
    return FrontMatter(
        license=license_,
        license_name=name,
        license_link=address,
        language=_texts(card, "language"),
        base_model=models,
        base_model_relation=relation if models else None,
        pipeline_tag=_text(card, "pipeline_tag") or "text-generation",
        tags=tuple(dict.fromkeys((*method_tags(methods), *_texts(card, "tags")))),
        more={clean(key): _plain(card[key]) for key in card if key not in CARD_KEYS},
    )


def method_tags(methods: Sequence[str]) -> tuple[str, ...]:
    """Tags in use on the Hub for the methods of a card.

    Examples
    --------
    >>> method_tags(["draft-dflash"])
    ('draft', 'speculative-decoding', 'dflash', 'gguf')
    """
    words = [word for method in methods for word in method.split(",") if word != "none"]
    drafts = [word.removeprefix("draft-") for word in words if word.startswith("draft-")]
    named = [word for word in drafts if word != "simple"]
    others = [word for word in words if not word.startswith("draft-")]
    head = ("draft",) if drafts else ()
    return tuple(dict.fromkeys((*head, "speculative-decoding", *named, *others, "gguf")))


def _license(card: Mapping[str, Any]) -> tuple[str | None, str | None, str | None]:
    given = _text(card, "license")
    name, address = _text(card, "license_name"), _text(card, "license_link")
    if given is None:
        return None, None, None
    if given.lower() in LICENSES - {"other"}:
        return given.lower(), None, None
    name = name or (given if given.lower() != "other" else None)
    if name is None or address is None:
        return "unknown", None, None
    return "other", name, address


def _plain(value: Any) -> Any:
    """What YAML has a form for; texts in one line, as everywhere in the block."""
    if isinstance(value, Mapping):
        return {clean(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, bool | int | float) else clean(str(value))


def _text(card: Mapping[str, Any], key: str) -> str | None:
    value = card.get(key)
    return (clean(str(value)) or None) if isinstance(value, str | int | float) else None


def _texts(card: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = card.get(key)
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return tuple(text for text in (clean(str(item)) for item in values) if text)
