import re

import pandas as pd
import pytest

from analysis.charts import make_all
from analysis.charts.values import Values, values_grid


def test_every_chart_has_its_values_as_a_table(frames):
    for chart in make_all(frames):
        assert chart.values is not None, chart.name
        assert chart.values.rows
        for row in chart.values.rows:
            assert all(cell and "nan" not in cell.lower() for cell in row), (chart.name, row)


def test_numbers_of_the_alt_text_are_in_the_table(frames):
    for chart in make_all(frames):
        cells = " ".join(cell for row in chart.values.rows for cell in row).replace(",", "")
        known = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", cells)]
        said = [float(number) for number in re.findall(r"\d+\.\d+", chart.alt)]
        assert said, chart.name
        for number in said:
            assert min(abs(number - value) for value in known) < 0.051, (chart.name, number)


def test_row_of_another_length_is_no_table():
    with pytest.raises(ValueError, match="one cell per header"):
        Values.of(("a", "b"), [("1",)])


def test_grid_has_a_dash_for_what_is_not_known():
    texts = pd.DataFrame({"x": ["1", None], "y": ["2", "3"]})
    assert values_grid("Task", ["a", "b"], texts) == Values(
        ("Task", "x", "y"), (("a", "1", "2"), ("b", "–", "3"))
    )
