"""A card is read on one screen and a half: what a reader sees without a click is short.

A line of visible text is a line of the README as it is rendered with every fold
closed: wrapped at 100 characters, a row of a table or of code as one, a picture
as one. Front matter, markers and empty lines are none.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from analysis.campaigns.campaign import PROJECT_ROOT
from analysis.cards import one_page, render, render_results, render_sections
from analysis.publishing import insert as readme
from analysis.records import Run
from analysis.summary import Summary
from tests import committed
from tests.cards.conftest import make_run

NAMES = sorted(path.name for path in (PROJECT_ROOT / "raw").iterdir())
MOST_LINES = 200
FIRST_SCREEN = 60
MOST_FIGURES = 3
_FOLD = re.compile(
    r"<details>\n(<summary>[^\n]*</summary>)(?:(?!<details>).)*?</details>", re.DOTALL
)
_DEPTHS = r"(?:depths?|positions?) \d+(?:(?:, | and | to )\d+)*"
_LABEL = (
    rf"{_DEPTHS}|\*\*[^*]*\*\*|`[^`]*`|\]\([^)]*\)|n_max \d+|p_min [\d.]+|[a-z]+_\w+|\[[\d., ]+\]"
)
TASKS = (
    "code_python", "code_cpp", "explain_concept", "summarize", "qa_factual", "translation",
    "creative_short", "stepwise_math", "json_output", "long_reasoning", "repeat_pattern",
    "code_completion", "long_code_review",
)  # fmt: skip
JARGON = re.compile(
    r"interval|confidence|significan|standard deviation|median|geomean|quantile|draws|variance",
    re.IGNORECASE,
)


def unfolded(text: str) -> str:
    """What is shown while every fold is closed."""
    text = re.sub(r"\A---\n.*?^---\n", "", text, flags=re.DOTALL | re.MULTILINE)
    while (shorter := _FOLD.sub(r"\1", text)) != text:
        text = shorter
    return text


def visible(text: str) -> Iterator[str]:
    code = False
    for line in unfolded(text).splitlines():
        fence = line.startswith("```")
        code ^= fence
        if fence or not line.strip() or line.startswith(("<!--", '<img class="hidden')):
            continue
        whole = code or line.startswith(("|", "<img"))
        yield from [line] if whole else textwrap.wrap(re.sub(r"\]\([^)]*\)", "]", line), 100)


def test_visible_lines_are_counted_as_a_reader_sees_them() -> None:
    text = (
        "---\nlicense: mit\n---\n\n<!-- mtpbench:begin raw -->\n\n# Title\n\n"
        f"{'word ' * 25}\n\n<details>\n<summary>More</summary>\n\nhidden\n\n<details>\n"
        "<summary>Most</summary>\n\nhidden\n\n</details>\n\n</details>\n\n"
        '<img class="dark:hidden" src="a">\n<img class="hidden dark:block" src="b">\n'
        "\n```text\na\n\nb\n```\n"
    )
    assert [line[:9] for line in visible(text)] == [
        "# Title", "word word", "word word", "<summary>", "<img clas", "a", "b"
    ]  # fmt: skip


@cache
def pictures(name: str) -> dict[str, object]:
    made = readme.pictures(committed.summary(name), "figures")
    return {key: named for key, (_, named) in made.items()}


@pytest.mark.parametrize("name", NAMES)
def test_a_committed_campaign_is_as_short_as_one_written_by_hand(name: str) -> None:
    summary = committed.summary(name)
    card = render(summary, pictures(name))  # type: ignore[arg-type]
    assert len([*visible(card)]) <= MOST_LINES
    first = render_sections(summary, pictures(name))["summary"]  # type: ignore[arg-type]
    assert len([*visible(first)]) <= FIRST_SCREEN
    assert first.count("src=") == 2
    assert first.count("```") == 2
    words = re.sub(r"^(<img|\*[A-Z]).*$", "", first, flags=re.MULTILINE)
    assert JARGON.findall(words) == []


def sweep(depths: int) -> list[Run]:
    """Every depth from 1 to `depths` and no speculation, 13 tasks each."""
    plain = [(task, 192, 0, 0, 130.0) for task in TASKS]
    runs = [make_run("plain", plain, "none", None, "No speculation")]
    for depth in range(1, depths + 1):
        rows = []
        for at, task in enumerate(TASKS):
            chance = 0.35 + 0.05 * at
            accepted = sum(chance**place for place in range(1, depth + 1))
            forwards = round(192 / (1 + accepted))
            drafted = forwards * depth
            rate = 192 / (forwards * 0.0077 * (1.6 + 0.09 * depth))
            rows.append((task, 192, drafted, min(192 - forwards, drafted), round(rate, 1)))
        runs.append(make_run(f"d{depth}", rows, "draft-dflash", depth, f"DFlash, n_max {depth}"))
    return runs


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Summary]:
    from analysis.campaigns.campaign import Campaign
    from analysis.summary import summarise

    @cache
    def made() -> Summary:
        folder = tmp_path_factory.mktemp("deep")
        for run in (runs := sweep(16)):
            (folder / f"{run.id}.log").write_text("raw\n" * 13, encoding="utf-8")
        return summarise(Campaign("deep", folder, "Deep", baseline="plain", runs=tuple(runs)))

    return made


def test_a_sweep_of_16_depths_stays_as_short(deep: Callable[[], Summary]) -> None:
    card = render(deep())
    assert len([*visible(card)]) <= MOST_LINES
    assert "16" in card


def sentences(text: str) -> Iterator[str]:
    """Of prose and lists: no code, no table, no caption, no finding of the audit."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for line in text.splitlines():
        if not line.startswith(("|", "<", "*", "#", "- Warning,", "- Note,", "- Error,")):
            yield from re.split(r"(?<=[.!?])\s+(?=[A-Z*`~])", line)


@pytest.mark.parametrize("name", [*NAMES, "deep"])
def test_no_sentence_lists_more_than_three_figures(name: str, deep: Callable[[], Summary]) -> None:
    summary = deep() if name == "deep" else committed.summary(name)
    text = render(summary) + (render_results(summary) or "")
    body = re.sub(r"\A---\n.*?^---\n", "", text, flags=re.DOTALL | re.MULTILINE)
    long = [
        one
        for one in sentences(body)
        if len(re.findall(r"(?<![\w.])\d[\d,.]*", re.sub(_LABEL, "", one))) > MOST_FIGURES
    ]
    assert long == []


@pytest.mark.parametrize("name", NAMES)
def test_no_column_holds_nothing_but_dashes(name: str) -> None:
    summary = committed.summary(name)
    text = render(summary) + (render_results(summary) or "")
    for found in re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE):
        rows = [row.strip("| ").split(" | ") for row in found.splitlines()[2:]]
        columns = [set(column) for column in zip(*rows, strict=True)]
        assert {"–"} not in columns, found


@pytest.mark.parametrize("name", [*NAMES, "deep"])
def test_one_thing_has_one_name(name: str, deep: Callable[[], Summary]) -> None:
    summary = deep() if name == "deep" else committed.summary(name)
    text = render(summary) + (render_results(summary) or "")
    body = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    body = re.sub(r"^- (Warning|Note|Error),.*$", "", body, flags=re.MULTILINE)
    other = r"[Ee]verything together|all tasks|kinds? of text|[Oo]verall setting|\bsettings?\b"
    assert re.findall(other, body) == []


SAID_BY_HAND = {
    "qwen3.6-35b-a3b-dspark": (
        "Koopah/Qwen3.6-35B-A3B-NVFP4-DSPARK", "Qwen/Qwen3.6-35B-A3B", "GGUF BF16",
        "ggml-org/llama.cpp#26275", "Until that is merged, use a build of its branch",
        "must share tokenizer, vocabulary and architecture metadata",
        "not a language model of its own", "**DFlash, n_max 7** is 18.2 % faster",
        "30.6 % faster than **DSpark, n_max 5**", "about as fast as **DSpark, n_max 2**", "+0.59 %",
        "drafts 535 more tokens and accepts 112 more",
        "drafts 44 fewer tokens and accepts 196 more",
        "wins by better drafts", "close to its break-even",
        "leave speculation off", "| 17.43 |", "| **133.9** |",
        "| 94.3 % |", "| 97.1 % |", "| 73.7 % |", "A rate hides positions too",
        "A draft that stops where it is not sure", '"wall_s_total": 16.69',
    ),
    "qwen3.6-35b-a3b-dflash": (
        "z-lab/Qwen3.6-35B-A3B-DFlash", "GGUF Q4_K_M", "b9831 or newer", "RTX 5070 Ti",
        "llama-cli", "Qwen3.6-35B-A3B-DFlash-Q4_K_M.gguf", "convert_hf_to_gguf.py",
        "weights were not modified", "| 75.8 % | 15.15 |", "| 53.5 % | 13.49 |",
        "**Nearly as fast:** DFlash, n_max 3", "has the highest acceptance rate, 75.8 %",
        "z-lab: the original DFlash model", "stay with their authors", '"wall_s_total": 13.7',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID_BY_HAND)
def test_what_the_hand_written_cards_say_is_still_there(name: str) -> None:
    summary = committed.summary(name)
    text = render(summary) + (render_results(summary) or "")
    assert [fact for fact in SAID_BY_HAND[name] if fact not in text] == []


def test_on_one_page_links_between_the_two_files_stay_on_it() -> None:
    summary = committed.summary()
    text = one_page(render(summary), render_results(summary))
    assert "](#what-stands-behind-the-advice)" in text
    assert "\n# What stands behind the advice\n" in text
    assert "](#limits)" in text
    for file in ("](RESULTS.md", "](README.md"):
        assert file not in text
