"""Goes through a README claim by claim: what does the campaign's data say to each?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from analysis import cards
from analysis.cards.facts import Facts
from analysis.cards.insertion import under_one_title
from analysis.cards.markers import find_spans
from analysis.checking.book import Book
from analysis.checking.claim import Above, Claim, Group
from analysis.checking.claims import claims_of
from analysis.checking.kinds import tokens_of
from analysis.checking.lexicon import Lexicon
from analysis.checking.lines import Line, read_lines
from analysis.checking.quotes import Quote, Quotes
from analysis.checking.rendering import front_matter_verdicts, section_verdicts
from analysis.checking.tables import cell_claims
from analysis.checking.tokens import Token
from analysis.checking.truth import Judge
from analysis.checking.verdict import CheckResult, Kind, Verdict
from analysis.publishing import insert as readme
from analysis.summary import Summary

__all__ = ["Checker"]

_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\.\.)(?<!vs\.)(?<!e\.g\.)(?<!i\.e\.)(?<!approx\.)(?<!ca\.)[\"”')*]*\s+(?=[^\sa-z])"
    r"|(?<=[\w%/)]{3}[.!?])(?<!approx\.)(?<!incl\.)(?<!resp\.)\s+(?=[a-z])"
)
SHOWN, LONGEST, CACHED = 160, 2_000, 5_000


@dataclass(frozen=True, eq=False)
class Checker:
    """A campaign made ready to check texts against it."""

    summary: Summary
    _cache: dict[str, list[Token]] = field(default_factory=dict)

    def __call__(self, text: str, file: str = "README") -> CheckResult:
        """A verdict for every claim of a text; see :func:`analysis.checking.check`."""
        spans = find_spans(text, cards.known_names(), file)
        found: list[Verdict] = []
        own, end = [], 0
        for span in spans:
            # Lines keep their numbers: what was generated is left empty.
            own += [text[end : span.start], re.sub(r"[^\r\n]+", "", text[span.start : span.stop])]
            end = span.stop
        if spans:
            pictures = any("<img " in text[span.start : span.stop] for span in spans)
            fresh = self._rendered if pictures else self._without_pictures
            found += front_matter_verdicts(text, self._card)
            folder = f"{readme.FIGURES}/{self.summary.campaign.slug}"
            sections = under_one_title(fresh, text, spans)
            found += section_verdicts(text, spans, sections, (folder,))
        found += self._written("".join([*own, text[end:]]))
        found.sort(key=lambda one: one.line)
        return CheckResult(file, self.summary.campaign.slug, tuple(found))

    @cached_property
    def _facts(self) -> Facts:
        return Facts(self.summary)

    @cached_property
    def _lexicon(self) -> Lexicon:
        return Lexicon(self._facts)

    @cached_property
    def _judge(self) -> Judge:
        return Judge(Book(self._facts))

    @cached_property
    def _card(self) -> str:
        return cards.render(self.summary)

    @cached_property
    def _without_pictures(self) -> dict[str, str]:
        return cards.render_sections(self.summary)

    @cached_property
    def _rendered(self) -> dict[str, str]:
        drawn = readme.pictures(self.summary, "figures")
        return cards.render_sections(
            self.summary, {name: named for name, (_, named) in drawn.items()}
        )

    # ---- what somebody wrote

    def _written(self, text: str) -> Iterator[Verdict]:
        quotes = Quotes(self.summary.campaign)
        near = None
        for line in read_lines(text):
            near = None if line.kind == "title" else near
            titles = [self._tokens(title) for title in line.titles]
            numeric = any(sign.isdigit() for sign in line.text)
            quote = quotes.match(line, _titled_run(titles)) if numeric else None
            if quote is not None:
                yield _quoted(line, quote)
            elif line.kind == "quote":
                yield from self._unmatched(line)
            elif line.kind == "row":
                for cell, claim in cell_claims(line, self._tokens, self._facts):
                    words = f"{line.cells[0]} | {cell}"
                    yield self._verdict(claim, line.number, words, "table")
            elif line.kind not in ("header", "code"):
                for verdict, run in self._sentences(line, self._above(line, titles, near)):
                    near = run or near
                    yield verdict

    def _tokens(self, words: str) -> list[Token]:
        if len(self._cache) > CACHED:
            self._cache.clear()
        if words not in self._cache:
            self._cache[words] = tokens_of(words[:LONGEST], self._lexicon)
        return self._cache[words]

    def _unmatched(self, line: Line) -> Iterator[Verdict]:
        strange = [one.text for one in self._tokens(line.text) if one.figure is not None]
        if strange:
            says = "no log of the campaign has this line"
            yield Verdict(
                line.number, _cut(line.text), "untied", "quote", says, tuple(strange[:12])
            )

    def _above(self, line: Line, titles: list[list[Token]], near: Group | None) -> Above:
        """What the titles above say: one run, two runs side by side, tasks or classes."""
        if line.kind == "title":
            return Above(near=near)
        named = [_runs(title) for title in titles]
        single = [runs[0] for runs in named if len(runs) == 1 and len(runs[0]) == 1]
        places = [one.value[0] for title in titles for one in title if one.kind == "scope"]
        older = [_runs(self._tokens(title)) for title in line.passed]
        pairs = (
            tuple(dict.fromkeys(run[0] for run in runs if len(run) == 1))
            for runs in (*reversed(named), *reversed(older))
        )
        return Above(
            Group(single[-1], inferred=True) if single else None,
            near,
            next(((pair[0], pair[1]) for pair in pairs if len(pair) == 2), None),
            tuple(places[-3:]),
            line.kind == "item",
        )

    def _sentences(self, line: Line, above: Above) -> Iterator[tuple[Verdict, Group | None]]:
        ends = [0, *[found.end() for found in _SENTENCE.finditer(line.text)], len(line.text)]
        for start, end in pairwise(ends):
            sentence = line.text[start:end]
            if len(sentence) > LONGEST:
                says = "this is too long for a sentence"
                yield Verdict(line.at(start), _cut(sentence), "untied", "sentence", says), None
                continue
            lead = f"{line.lead} " if line.lead and not start else ""
            tokens = tokens_of(lead + sentence, self._lexicon)
            if any(one.kind == "unknown" and one.start < len(lead) for one in tokens):
                lead, tokens = "", tokens_of(sentence, self._lexicon)
            claims = [
                claim for claim in claims_of(tokens, self._facts, above) if claim.end > len(lead)
            ]
            found = []
            for claim in claims:
                at = max(claim.start, len(lead))
                words = sentence if len(claims) == 1 else (lead + sentence)[at : claim.end]
                single = len(claim.subject.runs) == 1 and not claim.subject.inferred
                near = Group(claim.subject.runs) if single and claim.kind != "unread" else None
                above = replace(above, near=near or above.near)
                number = line.at(start + at - len(lead))
                found.append((self._verdict(claim, number, words, "sentence"), near))
            yield from _consistent(found)
            places = [place for one in tokens if one.kind == "scope" for place in one.value]
            above = replace(
                above,
                places=tuple(dict.fromkeys([*above.places, *places]))[-6:],
                estimates=above.estimates or any(one.kind == "estimates" for one in tokens),
            )

    def _verdict(self, claim: Claim, line: int, words: str, kind: Kind) -> Verdict:
        figures = tuple(one.text for one in claim.figures)
        return self._judge(claim, Verdict(line, _cut(words), "untied", kind, figures=figures))


def _consistent(
    found: list[tuple[Verdict, Group | None]],
) -> Iterator[tuple[Verdict, Group | None]]:
    """Nobody gives one thing two values in a sentence: beside the right one another is of else."""
    right = {one.recomputed for one, _ in found if one.status == "verified" and one.figures}
    for one, near in found:
        if one.status == "differs" and one.figures and one.recomputed in right - {None}:
            says = "another figure of the sentence is this, so of what it is is not understood"
            yield replace(one, status="untied", says=says), near
        else:
            yield one, near


def _quoted(line: Line, quote: Quote) -> Verdict:
    pairs = zip(quote.stated, quote.there, strict=True)
    wrong = tuple(mine for mine, theirs in pairs if mine != theirs)
    return Verdict(
        line=line.number,
        text=_cut(line.text),
        status="differs" if wrong else "verified",
        kind="quote",
        says="the log's line has other figures" if wrong else "a log line",
        figures=(wrong or quote.stated)[:12],
        recomputed=_cut(quote.raw.text),
        source=f"{quote.raw.file}:{quote.raw.number}",
    )


def _runs(title: list[Token]) -> list[tuple[str, ...]]:
    return [one.value for one in title if one.kind == "run" and one.word != "speculation"]


def _titled_run(titles: list[list[Token]]) -> str | None:
    """The run that the nearest title with one names."""
    named = next(
        (set(_runs(title)) for title in reversed(titles) if len(set(_runs(title))) == 1), {()}
    )
    (ids,) = named
    return ids[0] if len(ids) == 1 else None


def _cut(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1]}…"
