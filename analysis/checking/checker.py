"""Goes through a README claim by claim: what does the campaign's data say to each?"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise

from analysis import cards
from analysis.cards.facts import Facts
from analysis.cards.insertion import under_one_title
from analysis.cards.markers import find_spans
from analysis.checking.book import Book
from analysis.checking.claim import Above, Claim, Group
from analysis.checking.claims import claims_of
from analysis.checking.kinds import tokens_of
from analysis.checking.lines import Line, read_lines
from analysis.checking.quotes import Quotes
from analysis.checking.rendering import front_matter_verdicts, section_verdicts
from analysis.checking.tables import cell_claims
from analysis.checking.tokens import Token
from analysis.checking.truth import Judge
from analysis.checking.verdict import CheckResult, Kind, Verdict, shown
from analysis.checking.vocabulary import Lexicon
from analysis.publishing import insert as readme
from analysis.summary import Summary

__all__ = ["Checker"]

_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\.\.)(?<!vs\.)(?<!e\.g\.)(?<!i\.e\.)(?<!approx\.)(?<!ca\.)[\"”')*]*\s+(?=[^\sa-z])"
    r"|(?<=[\w%/)]{3}[.!?])(?<!approx\.)(?<!incl\.)(?<!resp\.)\s+(?=[a-z])"
    r"|(?<=\w[.!?])\s+(?=[a-z]+_[a-z])"
)
LONGEST, CACHED = 2_000, 5_000


class Checker:
    """A campaign made ready to check texts against it."""

    def __init__(self, summary: Summary) -> None:
        self.summary = summary
        self._facts = Facts(summary)
        self._judge, self._lexicon = Judge(Book(self._facts)), Lexicon(self._facts)
        self._card = cache(lambda: cards.render(summary))
        self._rendered = cache(
            lambda pictures: (
                readme.sections(summary)[0] if pictures else cards.render_sections(summary)
            )
        )
        # Titles and cells come again and again.
        self._tokens = lru_cache(CACHED)(lambda words: tokens_of(words[:LONGEST], self._lexicon))

    def __call__(self, text: str, file: str = "README") -> CheckResult:
        """A verdict for every claim of a text; see :func:`analysis.checking.check`."""
        found: list[Verdict] = []
        spans, own = find_spans(text, cards.known_names(), file), text
        for span in reversed(spans):
            # Lines keep their numbers: what was generated is left empty.
            generated = re.sub(r"[^\r\n]+", "", text[span.start : span.stop])
            own = own[: span.start] + generated + own[span.stop :]
        if spans:
            pictures = any("<img " in text[span.start : span.stop] for span in spans)
            fresh = under_one_title(self._rendered(pictures), text, spans)
            folder = f"{readme.FIGURES}/{self.summary.campaign.slug}"
            found += front_matter_verdicts(text, self._card())
            found += section_verdicts(text, spans, fresh, folder)
        found += self._written(own)
        found.sort(key=lambda one: one.line)
        return CheckResult(file, self.summary.campaign.slug, tuple(found))

    # ---- what somebody wrote

    def _written(self, text: str) -> Iterator[Verdict]:
        quotes, near = Quotes(self.summary.campaign), None
        for line in read_lines(text):
            near = None if line.kind == "title" else near
            above = Above() if line.kind == "title" else self._above(line)
            run = above.subject.runs[0] if above.subject else None
            quoted = quotes.verdict(line, run)
            if quoted is not None:
                yield quoted
            elif line.kind == "row":
                for cell, claimed in cell_claims(line, self._tokens, self._facts):
                    yield self._verdict(claimed, line.number, f"{line.cells[0]} | {cell}", "table")
            elif line.kind in ("text", "item", "title"):
                near = yield from self._sentences(line, replace(above, near=near))

    def _above(self, line: Line) -> Above:
        """What the titles above say: one run, two runs side by side, tasks or classes."""
        titles = [self._tokens(title) for title in line.titles]
        single = [runs[0] for runs in map(_runs, titles) if len(runs) == 1 and len(runs[0]) == 1]
        nearest = map(self._tokens, (*line.titles[::-1], *line.before[::-1]))
        pairs = ([run[0] for run in _runs(title) if len(run) == 1] for title in nearest)
        places = [one.value[0] for title in titles for one in title if one.kind == "scope"]
        return Above(
            Group(single[-1], inferred=True) if single else None,
            pair=next(((one[0], one[1]) for one in pairs if len(one) == 2), None),
            places=tuple(places[-3:]),
            item=line.kind == "item",
        )

    def _sentences(self, line: Line, above: Above) -> Generator[Verdict, None, Group | None]:
        """The verdicts of each, and the run named last."""
        ends = [0, *[found.end() for found in _SENTENCE.finditer(line.text)], len(line.text)]
        for start, end in pairwise(ends):
            sentence = line.text[start:end]
            if len(sentence) > LONGEST:
                says = "this is too long for a sentence"
                yield Verdict(line.at(start), shown(sentence), "untied", "sentence", says)
                continue
            lead = f"{line.lead} " if line.lead and not start else ""
            tokens = tokens_of(lead + sentence, self._lexicon)
            if any(one.kind == "unknown" and one.start < len(lead) for one in tokens):
                lead, tokens = "", tokens_of(sentence, self._lexicon)
            found, claims = [], claims_of(tokens, self._facts, above)
            claims = [claim for claim in claims if claim.end > len(lead)]
            for claim in claims:
                at = max(claim.start, len(lead))
                words = sentence if len(claims) == 1 else (lead + sentence)[at : claim.end]
                if len(claim.subject.runs) == 1 and not claim.subject.inferred:
                    above = replace(above, near=Group(claim.subject.runs))
                number = line.at(start + at - len(lead))
                found.append(self._verdict(claim, number, words, "sentence"))
            yield from _consistent(found)
            places = [place for one in tokens if one.kind == "scope" for place in one.value]
            above = replace(
                above,
                places=tuple(dict.fromkeys([*above.places, *places]))[-6:],
                estimates=above.estimates or any(one.kind == "estimates" for one in tokens),
            )
        return above.near

    def _verdict(self, claim: Claim, line: int, words: str, kind: Kind) -> Verdict:
        figures = tuple(one.text for one in claim.figures)
        return self._judge(claim, Verdict(line, shown(words), "untied", kind, figures=figures))


def _runs(title: list[Token]) -> list[tuple[str, ...]]:
    named = (one.value for one in title if one.kind == "run" and one.word != "speculation")
    return list(dict.fromkeys(named))


def _consistent(found: list[Verdict]) -> Iterator[Verdict]:
    """Nobody gives one thing two values in a sentence: beside the right one another is of else."""
    right = {one.recomputed for one in found if one.status == "verified" and one.figures}
    says = "another figure of the sentence is this, so of what it is is not understood"
    for one in found:
        doubted = one.status == "differs" and one.figures and one.recomputed in right - {None}
        yield replace(one, status="untied", says=says) if doubted else one
