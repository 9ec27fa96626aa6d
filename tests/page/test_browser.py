"""The page as a reader meets it."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import pytest
from PIL import Image
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from analysis import pipeline
from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.cards.escaping import escape
from analysis.cards.markdown import picture
from analysis.charts import DrawnChart
from analysis.charts.chart import Chart
from analysis.charts.spots import Spot
from analysis.charts.style import Theme
from analysis.charts.values import Values
from analysis.page import page
from tests import committed
from tests.page.conftest import Screen

pytestmark = pytest.mark.browser

CAMPAIGNS = sorted(path.parent for path in (PROJECT_ROOT / "raw").glob("*/campaign.toml"))
LONG = "W" * 10_000

UNFOLD = "for (const part of document.querySelectorAll('details')) part.open = true;"
CONTRAST = """
const channel = (value) => value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4;
const parts = (colour) => {
  const found = colour.match(/[\\d.]+/g).map(Number);
  return [found[0] / 255, found[1] / 255, found[2] / 255, found[3] ?? 1];
};
const luminance = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
const ground = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = parts(getComputedStyle(at).backgroundColor);
    if (colour[3] === 1) return colour;
    if (colour[3] > 0) throw new Error("half a ground");
  }
  return [1, 1, 1, 1];
};
const worst = {};
const look = (element, pseudo) => {
  const light = luminance(parts(getComputedStyle(element, pseudo).color));
  const dark = luminance(ground(element));
  const ratio = (Math.max(light, dark) + .05) / (Math.min(light, dark) + .05);
  const name = element.tagName + (pseudo ?? "");
  if (!(name in worst) || ratio < worst[name]) worst[name] = ratio;
};
for (const element of document.querySelectorAll("body *")) {
  if (!element.checkVisibility()) continue;
  const own = [...element.childNodes].some(
    (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  if (own) look(element);
  if (element.tagName === "BUTTON") look(element, "::after");
}
return worst;
"""


@pytest.fixture(scope="session", params=CAMPAIGNS, ids=lambda folder: folder.name)
def written(request, tmp_path_factory) -> Path:
    """The page of a campaign's report."""
    folder = tmp_path_factory.mktemp(request.param.name)
    summary = committed.summary(request.param.name)
    drawn = Chart.drawn

    def alike(chart: Chart, themes: Sequence[Theme]) -> tuple[list[Image.Image], tuple[Spot, ...]]:
        pictures, spots = drawn(chart, themes[:1])
        return pictures * len(themes), spots

    with pytest.MonkeyPatch.context() as patch:
        # Which of the two pictures is shown is seen by its name, and no pixel is looked at.
        patch.setattr(Chart, "drawn", alike)
        pipeline.write(summary, pipeline.draw(summary, folder), folder)
    return folder / "report.html"


@pytest.fixture
def report(written, chromium) -> Screen:
    """As it was loaded, for tests that leave in it what they found."""
    return Screen(chromium, written, again=True)


@pytest.fixture
def fresh(written, chromium) -> Screen:
    """Loaded anew, and not looked at by another test."""
    screen = Screen(chromium, written)
    screen.spoil()
    return screen


@pytest.fixture
def hostile(tmp_path, chromium) -> Screen:
    """A page of words without end, in every place that a stranger's text can have."""
    chart = DrawnChart(
        "a",
        PurePosixPath("a.png"),
        PurePosixPath("a-dark.png"),
        LONG,
        LONG,
        LONG,
        Values(("Run", LONG), ((LONG, "1"), ("<script>alert(1)</script>", "2"))),
    )
    rows = "".join(f"| {LONG} | `{LONG}` | {number} |\n" for number in range(4))
    text = (
        f"# {LONG}\n\n## {LONG}\n\n{LONG} `{LONG}` **{LONG}**\n\n- {LONG}\n\n> {LONG}\n\n"
        f"```\n{LONG}\n```\n\n| a | b | {LONG} |\n| --- | --- | ---: |\n{rows}\n"
        f"<details>\n<summary>{LONG}</summary>\n\n{LONG}\n\n</details>\n\n"
        f"{picture(LONG, 'a.png', 'a-dark.png')}\n\n*{LONG}*\n\n{escape('<script>x</script>')}\n"
    )
    file = tmp_path / "report.html"
    file.write_text(page(text, tmp_path, {"a": chart}), encoding="utf-8")
    return Screen(chromium, file)


@pytest.fixture
def table(tmp_path, chromium) -> Screen:
    """A page with one table to sort."""
    text = (
        "# T\n\n| Run | tok/s | Change |\n| --- | ---: | ---: |\n"
        "| **n 10** | 1,200.5 | −4.3 % |\n| n 9 | 99.5 | +15.4 % |\n"
        "| n 2 | – | not recorded |\n| n 1 | 300 | -10.5 % |\n"
    )
    file = tmp_path / "report.html"
    file.write_text(page(text, tmp_path), encoding="utf-8")
    return Screen(chromium, file)


def test_console_is_silent_and_nothing_is_fetched(fresh):
    fresh.run(UNFOLD)
    for scheme in ("light", "dark"):
        fresh.look(scheme=scheme)
    assert fresh.driver.get_log("browser") == []
    fetched = fresh.run("return performance.getEntriesByType('resource').map((it) => it.name)")
    assert [name for name in fetched if not name.startswith("data:")] == []


def test_policy_forbids_what_the_page_does_not_need(fresh):
    blocked = fresh.driver.execute_async_script(
        """
        const done = arguments[0], seen = [];
        addEventListener("securitypolicyviolation", (event) => {
          seen.push(event.effectiveDirective);
          if (seen.length === 3) done(seen.sort());
        });
        const made = (tag, fields) => document.body.append(
          Object.assign(document.createElement(tag), fields));
        made("img", { src: "http://127.0.0.1:9/x.png" });
        made("script", { textContent: "window.strange = 1" });
        document.body.insertAdjacentHTML("beforeend", "<p style='color:red'>x</p>");
        """
    )
    assert blocked == ["img-src", "script-src-elem", "style-src-attr"]
    assert fresh.run("return window.strange") is None
    fresh.driver.get_log("browser")


@pytest.mark.parametrize("width", [320, 400, 768, 1400])
def test_nothing_is_wider_than_the_screen(report, width):
    report.look(width).run(UNFOLD)
    assert report.run(
        "const root = document.documentElement; return root.scrollWidth <= root.clientWidth"
    )


@pytest.mark.parametrize("width", [400, 1400])
def test_strangers_words_are_not_wider_either(hostile, width):
    hostile.look(width).run(UNFOLD)
    assert hostile.run(
        "const root = document.documentElement; return root.scrollWidth <= root.clientWidth"
    )
    assert hostile.driver.get_log("browser") == []


@pytest.mark.parametrize(
    ("scheme", "media"), [("light", "screen"), ("dark", "screen"), ("dark", "print")]
)
def test_text_stands_out_from_its_ground(report, scheme, media):
    report.look(scheme=scheme, media=media).run(UNFOLD)
    worst = report.run(CONTRAST)
    assert {"P", "TD", "SUMMARY", "FIGCAPTION", "A"} <= worst.keys()
    assert {name: ratio for name, ratio in worst.items() if ratio < 4.5} == {}


def test_every_picture_says_what_it_shows(report):
    texts = report.run("return [...document.images].map((it) => it.alt)")
    assert len(texts) >= 6
    assert all(len(text) > 40 and any(map(str.isdigit, text)) for text in texts)


@pytest.mark.parametrize(
    ("scheme", "media"), [("light", "screen"), ("dark", "screen"), ("dark", "print")]
)
def test_one_picture_of_each_chart_is_shown(report, scheme, media):
    report.look(scheme=scheme, media=media).run(UNFOLD)
    shown = report.run(
        "return [...document.querySelectorAll('figure')].map((it) => "
        "[...it.querySelectorAll('img')].filter((im) => im.checkVisibility())"
        ".map((im) => [im.className, im.naturalWidth > 0]))"
    )
    theme = "dark" if (scheme, media) == ("dark", "screen") else "light"
    assert shown
    assert all(pictures == [[theme, True]] for pictures in shown)


def test_every_chart_has_its_values_below_it(report):
    counts = report.run(
        "return [...document.querySelectorAll('figure')].map((it) => "
        "it.querySelectorAll('details tbody tr').length)"
    )
    assert len(counts) >= 3
    # A campaign with one drafter has charts of one value.
    assert min(counts) >= 1


def test_contents_lead_to_every_section(report):
    targets = report.run(
        "return [...document.querySelectorAll('a[href^=\"#\"]')].map((it) => "
        "document.getElementById(decodeURIComponent(it.hash.slice(1)))?.tagName ?? it.hash)"
    )
    # Sections, the title of the part behind the card, and the top of the page.
    assert {"H2"} <= set(targets) <= {"H1", "H2", ""}
    links = report.run("return document.querySelectorAll('nav a').length")
    assert links == report.run("return document.querySelectorAll('h2').length")


def _column(screen: Screen, column: int) -> list[str]:
    cells = screen.run(
        "return [...document.querySelectorAll('tbody tr')].map((it) => "
        "it.cells[arguments[0]].textContent)",
        column,
    )
    return [cell.replace("\N{NO-BREAK SPACE}", " ") for cell in cells]


@pytest.mark.parametrize(
    ("column", "down"),
    [
        (0, ["n 10", "n 9", "n 2", "n 1"]),
        (1, ["1,200.5", "300", "99.5", "–"]),
        (2, ["+15.4 %", "−4.3 %", "-10.5 %", "not recorded"]),
    ],
)
def test_table_is_sorted_by_keyboard_down_up_and_as_it_was(table, column, down):
    before = _column(table, column)
    buttons = table.driver.find_elements("css selector", "th button")
    header = buttons[column].find_element("xpath", "..")
    known = [cell for cell in down if cell not in ("–", "not recorded")]
    missing = down[len(known) :]
    for state, order in (
        ("descending", down),
        ("ascending", known[::-1] + missing),
        ("none", before),
    ):
        buttons[column].send_keys(Keys.ENTER)
        assert _column(table, column) == order
        assert header.get_attribute("aria-sort") == state
        others = [button.find_element("xpath", "..") for button in buttons]
        assert sum(it.get_attribute("aria-sort") != "none" for it in others) == (state != "none")


def test_another_column_starts_anew(table):
    first, second, _ = table.driver.find_elements("css selector", "th button")
    first.click()
    second.click()
    assert _column(table, 1)[0] == "1,200.5"
    assert first.find_element("xpath", "..").get_attribute("aria-sort") == "none"


def test_wide_table_is_scrolled_by_keyboard(hostile):
    hostile.look(400).run("dispatchEvent(new Event('resize'))")
    assert hostile.run("return document.querySelector('.table').tabIndex") == 0


def test_print_is_paper(report):
    report.look(width=700, scheme="dark", media="print")
    assert (
        report.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    )
    assert report.run("return getComputedStyle(document.querySelector('nav')).display") == "none"
    report.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    paper = {"paperWidth": 8.27, "paperHeight": 11.69}
    pdf = base64.b64decode(report.driver.execute_cdp_cmd("Page.printToPDF", paper)["data"])
    assert len(pdf) > 50_000
    # What is folded stays so: a reader prints what is open.
    assert 2 <= len(re.findall(rb"/Type\s*/Page[^s]", pdf)) <= 12


def test_a_mark_says_its_values_when_pointed_at(report):
    report.look(width=800)
    found = report.run(
        """
        const spot = document.querySelector(".spots rect");
        spot.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
        const tip = document.querySelector(".tip"), chart = tip.parentElement;
        const [box, frame] = [tip, chart].map((it) => it.getBoundingClientRect());
        const inside = box.left >= frame.left - 1 && box.right <= frame.right + 1;
        const said = tip.textContent;
        spot.dispatchEvent(new PointerEvent("pointerout", { bubbles: true }));
        return [said, inside, document.querySelectorAll(".tip").length];
        """
    )
    assert "tok/s" in found[0]
    assert found[1:] == [True, 0]


def test_marks_stand_on_their_picture(report):
    report.look(width=400).run(UNFOLD)
    apart = report.run(
        """
        const marked = [...document.querySelectorAll(".chart")]
          .filter((chart) => chart.querySelector(".spots"));
        return marked.map((chart) => {
          const image = [...chart.querySelectorAll("img")].find((it) => it.checkVisibility());
          const [a, b] = [image, chart.querySelector(".spots")].map((it) =>
            it.getBoundingClientRect());
          return Math.max(Math.abs(a.width - b.width), Math.abs(a.height - b.height));
        });
        """
    )
    assert apart
    assert max(apart) < 1.5


def test_the_filter_leaves_one_kind_of_text_and_what_is_of_all(report):
    report.run(UNFOLD)
    shown = """
        const it = (selector) => [...document.querySelectorAll(selector)]
          .filter((one) => !one.hidden && !one.classList.contains("other"))
          .map((one) => one.dataset.workload ?? null);
        return [it("tbody tr"), it(".spots rect")];
    """
    before = report.run(shown)
    choice = Select(report.driver.find_element("id", "kind-of-text"))
    kinds = [option.get_attribute("value") for option in choice.options]
    assert kinds[0] == ""
    assert "Code and structured output" in kinds
    choice.select_by_value("Code and structured output")
    for kept, all_of_them in zip(report.run(shown), before, strict=True):
        assert set(all_of_them) - {None} == set(kinds[1:])
        expected = [one for one in all_of_them if one in (None, "Code and structured output")]
        assert kept == expected
    choice.select_by_value("")
    assert report.run(shown) == before


def test_a_table_that_goes_on_says_so(report):
    cue = (
        "return [...document.querySelectorAll('.table')].filter((it) => it.checkVisibility())"
        ".map((it) => [it.querySelector('table').offsetWidth > it.clientWidth + 1, "
        "getComputedStyle(it, '::after').content.includes('scroll')])"
    )
    seen = set()
    for width in (400, 1400):
        report.look(width).run("dispatchEvent(new Event('resize'))")
        found = report.run(cue)
        assert all(wide == said for wide, said in found)
        seen |= {wide for wide, _ in found}
    assert seen == {True, False}


def test_page_can_be_read_without_its_script(table):
    table.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        table.driver.refresh()
        found = table.driver.find_elements("css selector", "th")
        assert [header.text for header in found] == ["Run", "tok/s", "Change"]
    finally:
        table.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
