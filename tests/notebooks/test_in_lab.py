"""Every notebook, opened in a real JupyterLab and run from its menu command, as people do."""

from __future__ import annotations

import nbformat
import pytest
from selenium import webdriver

from analysis.campaigns.campaign import PROJECT_ROOT
from tests.notebooks.jupyter_lab import Lab

pytestmark = pytest.mark.browser

CARD_FIGURES = PROJECT_ROOT / "reports" / "qwen3.6-35b-a3b-dspark" / "figures"

# Notebook, and how many charts it shows for the campaign that it is committed with.
CHARTS = {
    "acceptance": 3,
    "compare_campaigns": 0,
    "conditions": 2,
    "draft_depth": 3,
    "live_run": 2,
    "model_card": len({file.stem.removesuffix("-dark") for file in CARD_FIGURES.glob("*.png")}),
    "throughput": 2,
    "truncation": 2,
    "tune": 0,
}

RUN_ALL = """
const [path, done] = arguments;
(async () => {
  const app = window.jupyterapp;
  await app.restored;
  const panel = await app.commands.execute("docmanager:open", { path });
  await panel.context.ready;
  await panel.sessionContext.ready;
  await app.commands.execute("notebook:run-all-cells");
  await panel.context.save();
  const shown = [...panel.node.querySelectorAll(".jp-OutputArea-output img")];
  await Promise.all(shown.map((it) => it.decode()));
  const pictures = shown.filter((it) => it.naturalWidth > 100).length;
  const kernel = panel.sessionContext.kernelDisplayName;
  await panel.sessionContext.shutdown();
  panel.dispose();
  return { kernel, pictures };
})().then(done, (error) => done({ error: String(error) }));
"""
# The page asks for these some time after its start.
ASK = """
const done = arguments[0];
Promise.all(["news", "update"].map((name) => fetch(`/lab/api/${name}`))).then(() => done());
"""
NEWS = "return JSON.parse(document.getElementById('jupyter-config-data').textContent).news"
REQUESTS = "return performance.getEntriesByType('resource').map((it) => it.name)"


@pytest.fixture(scope="session")
def page(lab: Lab, chromium: webdriver.Chrome) -> webdriver.Chrome:
    chromium.set_script_timeout(240)
    chromium.get(lab.url)
    return chromium


def test_every_notebook_is_here():
    assert {path.stem for path in (PROJECT_ROOT / "notebooks").glob("*.ipynb")} == set(CHARTS)


# The most charts, the only one that measures, and the one without any; nbval runs each cell of all.
ALWAYS = ("model_card", "live_run", "tune")


@pytest.mark.parametrize(
    "name",
    [name if name in ALWAYS else pytest.param(name, marks=pytest.mark.slow) for name in CHARTS],
)
def test_run_all_gives_every_cell_and_chart(name: str, lab: Lab, page: webdriver.Chrome):
    found = page.execute_async_script(RUN_ALL, f"{name}.ipynb")
    assert "error" not in found, found
    assert found["pictures"] == CHARTS[name]

    cells = nbformat.read(lab.notebooks / f"{name}.ipynb", 4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    assert [output.evalue for output in outputs if output.output_type == "error"] == []
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert code[-1].outputs, "there is nothing to copy"
    assert sum("image/png" in output.get("data", {}) for output in outputs) == CHARTS[name]
    stays_here(lab, page)


def stays_here(lab: Lab, page: webdriver.Chrome) -> None:
    """Neither page nor server nor any kernel so far has asked for anything elsewhere."""
    requests = page.execute_script(REQUESTS)
    assert requests
    assert [url for url in requests if not url.startswith((lab.address, "data:", "blob:"))] == []
    assert lab.hosts()
    assert lab.hosts() <= {"127.0.0.1", "localhost", "a local socket"}


def test_no_news_are_asked_for(lab: Lab, page: webdriver.Chrome):
    page.execute_async_script(ASK)
    assert page.execute_script(NEWS) == {"disabled": True}
    stays_here(lab, page)
