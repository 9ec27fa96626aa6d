"""The campaigns made by hand that the card's tests use."""

from tests.cards.conftest import loses, summary_of, unpaired, wins

__all__ = ["loses", "summary_of", "unpaired", "wins"]
