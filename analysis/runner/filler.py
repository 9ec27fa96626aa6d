"""Which text stands before a task, where a run is measured behind a long context?

Plain sentences of no consequence, made from lists so that hardly one comes twice:
a text that repeats itself would be easier to continue than what people send. They
are cut to a number of tokens by the server's own tokenizer.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analysis.errors import LiveError
from analysis.runner.prompts import Prompt
from analysis.runner.running import Running
from analysis.runner.tokenizer import text_of, tokens_of

__all__ = ["Fillers", "make_fillers", "sentences"]

_WHO = (
    "the harbour master",
    "a surveyor from the north",
    "the baker's eldest daughter",
    "an old ferryman",
    "the new teacher",
    "a clerk of the council",
    "the woman who kept the lighthouse",
    "a travelling clockmaker",
    "two apprentices",
    "the captain of the coal barge",
    "a botanist on leave",
    "the night watchman",
    "a young carpenter",
    "the owner of the inn",
    "a retired engineer",
    "the postman",
)
_DID = (
    "counted {n} crates of lemons",
    "wrote {n} lines into a blue notebook",
    "measured the depth of the channel at {n} places",
    "found a letter that had been posted {n} years earlier",
    "sold {n} loaves before the bell rang",
    "drew a map on which {n} wells were marked",
    "waited {n} minutes for the tide to turn",
    "repaired the third of {n} broken shutters",
    "heard the same melody from {n} windows",
    "planted {n} rows of beans behind the wall",
    "lost a bet about the weight of {n} anchors",
    "read aloud from a list of {n} names",
    "noticed that {n} tiles were missing from the roof",
    "carried {n} buckets of sand up the stairs",
    "asked {n} people for the way to the mill",
    "promised to return within {n} days",
)
_WHERE = (
    "near the old customs house",
    "at the far end of the pier",
    "in the square with the dry fountain",
    "behind the rope factory",
    "on the road to the quarry",
    "under the arches of the viaduct",
    "beside the orchard wall",
    "in the reading room",
    "by the second lock of the canal",
    "outside the chapel",
    "on the roof of the warehouse",
    "where the two rivers meet",
)
_WHEN = (
    "On the morning after the storm",
    "Late in {month}",
    "Before anyone else was awake",
    "When the fog had lifted",
    "During the long drought of that summer",
    "An hour after sunset",
    "In the week of the cattle market",
    "Shortly before the snow came",
    "While the bridge was closed",
    "On the last Sunday of {month}",
    "As soon as the ferry had left",
    "Some time in {month}",
)
_SO = (
    "Nobody could say why, and nobody asked.",
    "It was mentioned in the paper, in a column that few people read.",
    "The weather stayed dry for {n} days after that.",
    "There was some talk of it at the inn, but it soon turned to the price of wool.",
    "A dog barked {n} times and then was quiet.",
    "The account was later found to be correct in every detail but one.",
    "From the hill one could see all of it, small and clear.",
    "That is how the street came by its name.",
    "The rest of the afternoon passed without anything worth noting.",
    "A copy of the report is kept in a drawer on the {n}th floor of the archive.",
)
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

_SENTENCES_A_TOKEN = 1 / 8
"""Shorter sentences than any of these, so that the first attempt is long enough."""

_ASK_S = 30.0


@dataclass(frozen=True)
class Fillers:
    """The texts before the tasks of a run, by task, and how many tokens each has."""

    texts: Mapping[str, str]
    tokens: Mapping[str, int]

    def before(self, prompt: Prompt) -> str:
        """The text before a prompt; of one that is in no set, any of them."""
        return self.texts.get(prompt.task) or next(iter(self.texts.values()))

    @property
    def digest(self) -> str:
        """``sha256:…`` of all texts."""
        whole = "\0".join(text for _, text in sorted(self.texts.items()))
        return f"sha256:{hashlib.sha256(whole.encode()).hexdigest()}"


def sentences(seed: int) -> Iterator[str]:
    """Sentences without end; the same seed gives the same ones."""
    chance = random.Random(seed)  # noqa: S311 - a text, and no secret

    def filled(words: str) -> str:
        return words.format(n=chance.randint(2, 97), month=chance.choice(_MONTHS))

    while True:
        did = filled(chance.choice(_DID))
        who, where, when = (chance.choice(words) for words in (_WHO, _WHERE, _WHEN))
        yield f"{filled(when)}, {who} {did} {where}."
        if chance.random() < 0.15:
            yield filled(chance.choice(_SO))


def make_fillers(server: Running, prompts: Sequence[Prompt], tokens: int) -> Fillers:
    """A text of so many tokens for each prompt.

    Raises
    ------
    LiveError
        The server has no tokenizer that could count them.
    """
    texts, counts = {}, {}
    for seed, prompt in enumerate(prompts):
        made = sentences(seed)
        most = int(tokens * _SENTENCES_A_TOKEN) + 8
        text = " ".join(next(made) for _ in range(most))
        found = tokens_of(server, text, _ASK_S)
        cut = None if found is None else text_of(server, found[:tokens], _ASK_S)
        again = None if cut is None else tokens_of(server, cut, _ASK_S)
        if cut is None or again is None or found is None or len(found) < tokens:
            raise LiveError(
                "the server can't count the tokens of a text, which [live] context needs",
                "remove context, or use llama.cpp's server",
            )
        texts[prompt.task], counts[prompt.task] = cut, len(again)
    return Fillers(texts, counts)
