import pytest

from analysis.page.workloads import with_workloads

TASKS = {"code_python": "code", "a <b>": "tales"}
CODE = 'data-workload="Code and structured output"'


@pytest.mark.parametrize(
    ("row", "marked"),
    [
        ("<tr>\n<td><code>code_python</code></td><td>1</td></tr>", CODE),
        ("<tr><td>Code and structured output</td></tr>", CODE),
        ("<tr><td>DSpark</td><td>code_python</td></tr>", CODE),
        ("<tr><td>a &lt;b&gt;</td></tr>", 'data-workload="Tales"'),
        ("<tr><td>All prompts</td><td>2</td></tr>", None),
        ("<tr><td>x</td><td>y</td><td>code_python</td></tr>", None),
        ("<tr><th>code_python</th></tr>", None),
    ],
)
def test_a_row_is_of_the_kind_that_its_first_cells_name(row, marked):
    shown = with_workloads(f"<table>{row}</table>", TASKS)
    assert shown == f"<table>{row.replace('<tr>', f'<tr {marked}>') if marked else row}</table>"


def test_a_strangers_class_stays_text():
    shown = with_workloads("<tr><td>t</td></tr>", {"t": '"><script>'})
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_without_classes_nothing_changes():
    assert with_workloads("<tr><td>t</td></tr>", {}) == "<tr><td>t</td></tr>"
