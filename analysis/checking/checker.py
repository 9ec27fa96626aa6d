"""Goes through a README claim by claim: what does the campaign's data say to each?

A cell of a table is a claim too: the words of its row, its column and the titles, and its figure.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator
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
from analysis.checking.quantities import QUANTITIES, meant_by
from analysis.checking.quotes import Quotes
from analysis.checking.rendering import front_matter_verdicts, section_verdicts
from analysis.checking.tokens import Token
from analysis.checking.truth import Judge
from analysis.checking.verdict import CheckResult, Kind, Verdict, shown
from analysis.checking.vocabulary import LINKS, Lexicon
from analysis.publishing import insert as readme
from analysis.summary import Summary

__all__ = ["Checker"]

_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\.\.)(?<!vs\.)(?<!e\.g\.)(?<!i\.e\.)(?<!approx\.)(?<!ca\.)[\"”')*]*\s+(?=[^\sa-z])"
    r"|(?<=[\w%/)]{3}[.!?])(?<!approx\.)(?<!incl\.)(?<!resp\.)\s+(?=[a-z])"
    r"|(?<=\w[.!?])\s+(?=[a-z]+_[a-z])|(?<=[\d%)][.!?])\s+(?=[a-z])"
)
LONGEST, CACHED = 2_000, 5_000
_DEPTH = re.compile(r"n_?-?max|max|depth|k|draft length", re.IGNORECASE)
_INTERVAL = re.compile(r"[(\[][\d\s.,%×x±–-]*[)\]]")
_NOUNS = ("quantities", "actions", "position")
_OPEN = "whose figure it is, of what, or under which condition, is not understood"
_TWICE = "another figure of the sentence is this, so of what it is is not understood"


class Checker:
    """A campaign made ready to check texts against it."""

    def __init__(self, summary: Summary) -> None:
        self.summary = summary
        self._facts = Facts(summary)
        self._judge, self._lexicon = Judge(Book(self._facts)), Lexicon(self._facts)
        self._card = cache(lambda: cards.render(summary))
        self._sections = cache(lambda: cards.render_sections(summary))
        self._illustrated = cache(lambda: readme.sections(summary)[0])
        # Titles and cells come again and again.
        self._tokens = lru_cache(CACHED)(lambda words: tokens_of(words[:LONGEST], self._lexicon))

    def __call__(self, text: str, file: str = "README") -> CheckResult:
        """A verdict for every claim of a text; see :func:`analysis.checking.check`."""
        found: list[Verdict] = []
        spans, own = find_spans(text, cards.known_names(), file), text
        for span in reversed(spans):
            # Lines keep their numbers: what was generated is left empty.
            own = own[: span.start] + "\n" * (span.end - span.begin - 1) + own[span.stop :]
        if spans:
            pictures = any("<img " in text[span.start : span.stop] for span in spans)
            rendered = self._illustrated() if pictures else self._sections()
            fresh = under_one_title(rendered, text, spans)
            folder = f"{readme.FIGURES}/{self.summary.campaign.slug}"
            found += front_matter_verdicts(text, self._card())
            found += section_verdicts(text, spans, fresh, folder)
        found += self._written(own)
        found.sort(key=lambda one: one.line)
        return CheckResult(file, self.summary.campaign.slug, tuple(found))

    def _written(self, text: str) -> Iterator[Verdict]:
        """The verdicts on what somebody wrote."""
        quotes, near, before = Quotes(self.summary.campaign), None, deque[str](maxlen=12)
        for line in read_lines(text):
            if line.kind == "title":
                near = None
                before.appendleft(line.text)
            above = Above() if line.kind == "title" else self._above(line, before)
            quoted = quotes.verdict(line, above.subject.runs[0] if above.subject else None)
            if quoted is not None:
                yield quoted
            elif line.kind == "row":
                yield from self._cells(line)
            elif line.kind in ("text", "item", "title"):
                near = yield from self._sentences(line, replace(above, near=near))

    def _above(self, line: Line, before: Iterable[str]) -> Above:
        """What titles say: one run, tasks or classes above it, two runs side by side before it."""
        titles = [self._title(title) for title in line.titles]
        single = [runs[0] for runs in map(_runs, titles) if len(runs) == 1 and len(runs[0]) == 1]
        last = map(_runs, map(self._title, before))
        pairs = ([run[0] for run in runs if len(run) == 1] for runs in last)
        places = [one.value[0] for title in titles for one in title if one.kind == "scope"]
        return Above(
            Group(single[-1], inferred=True) if single else None,
            pair=next(((one[0], one[1]) for one in pairs if len(one) == 2), None),
            places=tuple(places[-3:]),
            item=line.kind == "item",
        )

    def _title(self, words: str) -> list[Token]:
        # "Does speculation pay?" is no name, though only one run speculates.
        return [one for one in self._tokens(words) if one.word != "speculation"]

    def _sentences(self, line: Line, above: Above) -> Generator[Verdict, None, Group | None]:
        """The verdicts of each, and the run named last."""
        ends = [0, *[found.end() for found in _SENTENCE.finditer(line.text)], len(line.text)]
        for start, end in pairwise(ends):
            said = line.text[start:end].replace("\n", " ")
            lead = f"{line.lead} " if line.lead and not start else ""
            tokens = tokens_of((lead + said)[:LONGEST], self._lexicon)
            if any(one.kind == "unknown" and one.start < len(lead) for one in tokens):
                lead, tokens = "", tokens_of(said[:LONGEST], self._lexicon)
            text = lead + said
            claims = claims_of(tokens, self._facts, above)
            claims = [claim for claim in claims if claim.end > len(lead)]
            if len(text) > LONGEST:
                claims = [Claim("unread", why="this is too long for a sentence")]
            found = []
            for claim in claims:
                at = max(claim.start, len(lead))
                words = text[at : claim.end] if len(claims) > 1 else said
                if len(claim.subject.runs) == 1 and not claim.subject.inferred:
                    above = replace(above, near=Group(claim.subject.runs))
                number = line.at(start + at - len(lead))
                found.append(self._verdict(claim, number, words, "sentence"))
            # Nobody gives one thing two values: beside the right one another is of else.
            right = {one.recomputed for one in found if one.status == "verified" and one.figures}
            right.discard(None)
            for one in found:
                doubted = one.status == "differs" and one.figures and one.recomputed in right
                yield replace(one, status="untied", says=_TWICE) if doubted else one
            places = [place for one in tokens if one.kind == "scope" for place in one.value]
            above = replace(
                above,
                places=tuple(dict.fromkeys([*above.places, *places]))[-6:],
                estimates=above.estimates or _has(tokens, "estimates"),
            )
        return above.near

    def _cells(self, line: Line) -> Iterator[Verdict]:
        """The verdicts on the figures of a row."""
        headers, cells = [[*map(self._tokens, words)] for words in (line.headers, line.cells)]
        if _DEPTH.fullmatch(line.headers[0]) and line.cells[0].isdigit():
            cells[0] = self._tokens(f"max {line.cells[0]}")
        # "Speed over no speculation" above the rows' names is what all the row's figures are.
        # "Task" and "Run" head names of what a row is of, "best for" and "note" do not.
        heads = [{one.kind for one in header} for header in headers]
        beside = [cell for head, cell in zip(heads, cells, strict=False) if head == {"counted"}]
        around = [*beside, headers[0], *map(self._title, line.titles[::-1])]
        # Of which of several runs of one configuration the figures are is not read.
        conditions = tuple(LINKS["conditions of rows"])
        closed = any(words.lower().startswith(conditions) for words in line.headers)
        closed = closed or any("estimates" in head for head in heads)
        for at, (words, cell, header) in enumerate(zip(line.cells, cells, headers, strict=False)):
            named_here = not at and (_has(header, "run") or not _has(header, "quantities"))
            if named_here or not _has(cell, "figure"):
                continue
            said = [*(cells[0] if at else ()), *header]
            value = self._tokens(_INTERVAL.sub("", words))
            claim = None if closed or len(value) != 1 else self._claim(said, value[0], around)
            figures = tuple(one.figure for one in cell if one.figure)
            claim = claim or Claim("unread", why=_OPEN, figures=figures)
            yield self._verdict(claim, line.number, f"{line.cells[0]} | {words}", "table")

    def _claim(self, said: list[Token], value: Token, around: list[list[Token]]) -> Claim | None:
        """What a cell states; what its row's name and its column leave out is beside or above."""
        figure = value.figure
        if figure is None or _has(said, *LINKS["strange in a table"]):
            return None
        for kinds in (("run",), _NOUNS, () if _has(said, "whole") else ("scope",)):
            if not _has(said, *kinds):
                near = next((words for words in around if _has(words, *kinds)), ())
                said = [*(one for one in near if one.kind in kinds), *said]
        nouns = {str(one.value) for one in said if one.kind in _NOUNS[:2]}
        unit = QUANTITIES[meant_by(nouns, figure) or "tasks"].unit
        if not figure.unit and unit in ("s", "ms", "times", "rate"):
            value = replace(value, figure=replace(figure, unit=unit))
        kept = [one for one in said if one.kind in ("run", "scope", "whole", *_NOUNS)]
        found = claims_of([*kept, value], self._facts, Above())
        runs = {one.value for one in kept if one.kind == "run"}
        single = len(runs) == len(found) == 1 and len(*runs) == 1 and found[0].kind != "unread"
        return found[0] if single else None

    def _verdict(self, claim: Claim, line: int, words: str, kind: Kind) -> Verdict:
        figures = tuple(one.text for one in claim.figures)
        return self._judge(claim, Verdict(line, shown(words), "untied", kind, figures=figures))


def _runs(title: list[Token]) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(one.value for one in title if one.kind == "run"))


def _has(tokens: Collection[Token], *kinds: str) -> bool:
    return any(one.kind in kinds for one in tokens)
