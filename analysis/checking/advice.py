"""Is a recommendation what the card recommends, or is it against what was measured?"""

from __future__ import annotations

from analysis.cards.facts import known
from analysis.checking.book import Book, Scope
from analysis.checking.claim import Claim, Place
from analysis.checking.weighing import Meaning, Truth

__all__ = ["follows"]

LOSS = 0.10
"""What is slower by more than this than what is advised is no matter of taste."""


def follows(claim: Claim, book: Book) -> Meaning:
    """Whether the data advise a claim's runs for its tasks; of a method one depth is enough."""
    runs, places = claim.subject.runs, [option[0] for option in claim.places.options]
    by_place = [[_follows(run, place, book) for run in runs] for place in places]
    found = {True if True in one else None if None in one else False for one in by_place}
    truth = None if None in found or len(found) > 1 else found.pop() != claim.negated
    advised = dict.fromkeys(run for place in places for run in _advised(place, book))
    names = ", ".join(book.facts.by_id[run].label for run in advised) or "nothing"
    scopes = tuple(Scope(run, *place) for run in runs for place in places)
    return Meaning(truth, f"advice; measured as the best there: {names}", None, scopes)


def _advised(place: Place, book: Book, method: str | None = None) -> list[str]:
    """Runs that the recommendations name: of all, of the card's own draft, and of a method."""
    facts, frame = book.facts, book.facts.summary.method_recommendations
    workload = next((row.workload for row in facts.tasks if row.task == place[1]), place[0])
    rows = [(one.workload, one.run) for one in (*facts.choices, *facts.own_choices)]
    of_method = frame[frame["method"] == method]
    rows += zip(of_method["workload"].map(known), of_method["run"].map(known), strict=True)
    plain = facts.baseline.id if facts.baseline else None
    named = dict.fromkeys(run or plain for name, run in rows if name == workload)
    return [run for run in named if run is not None]


def _follows(run: str, place: Place, book: Book) -> Truth:
    facts, method = book.facts, book.facts.by_id[run].spec_type
    if run in _advised(place, book, method):
        return True
    plain = [facts.baseline.id] if facts.baseline else []
    rivals = [one.id for one in facts.drafting if run in plain or one.spec_type == method]
    own, *rates = (book.get("decode_tps", Scope(one, *place)) for one in (run, *plain, *rivals))
    best = max((rate for rate in rates if rate is not None), default=None)
    return None if own is None or best is None or own >= (1 - LOSS) * best else False
