import re
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from markdown_it import MarkdownIt

from analysis.cards import numbers, render, render_sections, section_names
from analysis.cards.preset import preset
from analysis.models.model_files import ModelFile, Part
from analysis.models.tensor_groups import TensorGroup
from analysis.records import Finding
from analysis.summary import Summary
from tests.cards.conftest import TASKS, make_run, plain, uniform
from tests.cards.sections.test_confidence import with_confidences

HOSTILE = (
    "a|b `c` <script>alert(1)</script>\n# h\n--- \n<!-- mtpbench:end raw -->\u202e ![x](y)" * 3
)
GFM = MarkdownIt("commonmark", {"html": True}).enable("table")
DIVERGED = Finding("warning", "outputs-diverged", "campaign", "predicted counts differ")


def test_every_section_stands_between_its_markers_in_order(
    wins: Summary, figures: dict[str, SimpleNamespace]
) -> None:
    file = ModelFile((Part("Draft-Q4.gguf", 7),))
    campaign = replace(wins.campaign, files=(file,))
    text = render(replace(wins, campaign=campaign), figures)
    assert text.startswith("---\nlicense: mit\n")
    assert text.endswith("<!-- mtpbench:end credits -->\n")
    assert "\r" not in text
    begun = re.findall(r"^<!-- mtpbench:begin (\S+) -->$", text, re.MULTILINE)
    assert begun == re.findall(r"^<!-- mtpbench:end (\S+) -->$", text, re.MULTILINE)
    # The campaign has no log with confidences, and one request at once alone.
    others = {"confidence", "turns"}
    assert tuple(begun) == tuple(name for name in section_names() if name not in others)
    for name in figures:
        assert f'src="figures/{name}-light.png"' in text
        assert f"*Caption of {name}.*" in text


def test_two_renders_are_equal(wins: Summary, figures: dict[str, SimpleNamespace]) -> None:
    assert render(wins, figures) == render(wins, figures)


def test_figures_are_those_of_the_frames(wins: Summary) -> None:
    sections = render_sections(wins)
    for _, run in wins.runs.iterrows():
        row = next(
            line
            for line in sections["overall"].splitlines()
            if line.startswith(f"| {run['label']}")
        )
        for shown in (
            numbers.count(run["predicted_tokens"]),
            numbers.count(run["draft_tokens"]),
            numbers.count(run["accepted_tokens"]),
            numbers.seconds(run["wall_s"]),
            numbers.rate(run["effective_tps"]),
            numbers.rate(run["decode_tps"]),
            numbers.speedup(run["speedup"]),
        ):
            assert shown in row
        if run["id"] != "plain":
            line = next(
                line
                for line in sections["baseline"].splitlines()
                if line.startswith(f"| {run['label']} |")
            )
            assert numbers.speedup(run["geomean_task_speedup"]) in line
            assert numbers.percent(run["break_even_acceptance"]) in sections["baseline"]


def test_a_win_reads_as_one(wins: Summary) -> None:
    text = render_sections(wins)["summary"]
    runs = wins.runs.set_index("id")
    # The card's own draft comes first, the faster neighbour after it.
    own, best = runs.loc["dspark-n3"], runs.loc["dflash-n7"]
    assert (
        f"**DSpark, n_max 3: {numbers.speedup(own['speedup'])} the throughput of no speculation**"
    ) in text
    assert (
        "Another draft model was measured beside it and is faster: **DFlash, n_max 7**, "
        f"{numbers.speedup(best['speedup'])} over all prompts."
    ) in text
    assert "GPU: RTX 5070 Ti. llama.cpp build: b9831. 5 requests per configuration, one run" in text
    assert "[Org/Some-Model](https://huggingface.co/Org/Some-Model)" in text
    assert (
        "speculation pays on *code and structured output*, *factual questions and reasoning* and "
        "*explanation and code review*; leave it off for *translation and creative writing*."
    ) in text


def test_commands_load_the_recorded_draft(wins: Summary) -> None:
    sections = render_sections(wins)
    for program, section in (("llama-server", "summary"), ("llama-cli", "usage")):
        assert (
            f"{program} \\\n  -m TARGET.gguf \\\n  -md Draft-Q4.gguf \\\n"
            "  --spec-type draft-dspark \\\n  --spec-draft-n-max 3\n"
        ) in sections[section]
    assert "`TARGET.gguf` is a placeholder" in sections["summary"]
    assert "-md DFLASH-DRAFT.gguf" in sections["usage"]
    assert "`DFLASH-DRAFT.gguf` is a placeholder" in sections["usage"]


def test_losing_everywhere_reads_so(loses: Summary) -> None:
    text = render(loses)
    sections = render_sections(loses)
    assert "**Leave speculation off for mixed work" in sections["summary"]
    assert "No setting measured with DSpark is clearly faster than no speculation" in text
    assert "Speculation pays on none of the kinds of text measured" in sections["summary"]
    assert sections["workloads"].count("Leave speculation off") == 4
    assert sections["recommendation"].count("| leave speculation off |") == 5
    assert "faster than no speculation" not in sections["baseline"]
    for word in ("pays on every", "Speculation pays on *", "saves"):
        assert word not in text
    assert "[off]" in preset(loses)
    assert "n-max" not in preset(loses)


def test_a_run_that_drafted_nothing_is_compared_though_it_is_not_declared(
    summary_of: Callable[..., Summary],
) -> None:
    slow = make_run("two-2", uniform(80.0, 160, 100), None, None)
    silent = make_run("two", uniform(100.0, 0, 0), None, None)
    sections = render_sections(summary_of([silent, slow]))
    # 192 tokens in 1.92 s and 0.1 s around them, against 2.4 s and 0.1 s.
    assert "**two is the fastest of 2 configurations with 95.0 tok/s" in sections["summary"]
    assert "1.24× the slowest, **two-2**" in sections["summary"]
    reason = "No run is declared as the baseline, although **two** drafted nothing"
    for name in ("summary", "recommendation", "overall", "limits"):
        assert reason in sections[name]
        assert "No run without speculation was recorded" not in sections[name]
    assert "only configuration" not in "".join(sections.values())
    alone = render_sections(summary_of([slow]))["summary"]
    assert "only configuration measured. No run without speculation was recorded" in alone


def test_without_a_baseline_no_speedup_is_claimed(unpaired: Summary) -> None:
    sections = render_sections(unpaired)
    assert "baseline" not in sections
    assert "no speedup can be given" in sections["summary"]
    assert "**DFlash, n_max 3 is the fastest of 2 configurations" in sections["summary"]
    assert (
        "whether leaving speculation off is faster still is not known"
        in (sections["recommendation"])
    )
    text = render(unpaired)
    assert "Speedup |" not in text
    assert "speedup |" not in text.replace("Decode speedup |", "")


def test_a_tie_is_about_equal(summary_of: Callable[..., Summary]) -> None:
    summary = summary_of(
        [
            make_run("a2", uniform(120.0, 160, 100), n_max=2, label="A 2"),
            make_run("a3", uniform(120.5, 195, 120), n_max=3, label="A 3"),
            plain(),
        ],
        baseline="plain",
    )
    sections = render_sections(summary)
    ratio = summary.runs["effective_tps"].iloc[1] / summary.runs["effective_tps"].iloc[0]
    assert "about as fast as **A 2** over all prompts" in sections["pairs"]
    assert numbers.signed_percent(ratio - 1) in sections["pairs"]
    assert "It drafts 175 more tokens and accepts 100 more." in sections["pairs"]
    assert "The step from depth 2 to 3 is close to its break-even" in sections["pairs"]


def test_one_task_and_one_run_are_singular(summary_of: Callable[..., Summary]) -> None:
    summary = summary_of(
        [
            make_run("a", [("code_python", 192, 195, 120, 150.0)], label="A"),
            make_run("plain", [("code_python", 192, 0, 0, 100.0)], "none", None),
        ],
        baseline="plain",
    )
    text = render(summary)
    assert "1 request per configuration" in text
    assert "1 of 1 task;" not in text
    assert "There is only one task" in text
    for wrong in ("1 requests", "1 tasks", "1 runs", "1 configurations", "nan", "None", "<NA>"):
        assert wrong not in text


def test_divergence_stands_beside_the_speedup(
    summary_of: Callable[..., Summary], wins: Summary
) -> None:
    text = render_sections(replace(wins, findings=(DIVERGED,)))
    assert "The generated text was not the same in every configuration" in text["summary"]
    for name in ("summary", "overall", "baseline"):
        assert "the same prompts, not the same tokens" in text[name]
        assert "not the same tokens" not in render_sections(wins)[name]
    assert "outputs-diverged: predicted counts differ (campaign)" in text["limits"]


def test_synthetic_runs_are_marked_and_never_recommended(
    summary_of: Callable[..., Summary],
) -> None:
    coin = make_run("coin", uniform(500.0, 195, 190), label="Coin", synthetic=True)
    summary = summary_of([coin, plain()], baseline="plain")
    sections = render_sections(summary)
    assert "| Coin (synthetic) |" in sections["overall"]
    assert "Every run with speculation here is synthetic" in sections["summary"]
    assert "recommendation" not in sections
    assert "5.00×" not in render(summary)
    assert "[coin]" not in preset(summary)


def test_unknown_conditions_say_so(loses: Summary) -> None:
    text = render_sections(loses)["conditions"]
    for name in ("GPU", "Driver", "CPU", "RAM", "llama.cpp build", "Temperature", "Date"):
        assert f"| {name} | not recorded |" in text


def test_raw_lines_are_exact(wins: Summary) -> None:
    raw = render_sections(wins)["raw"]
    for run in wins.campaign.runs:
        lines = (wins.campaign.folder / run.source.file).read_text(encoding="utf-8")
        assert f"```text\n{lines}```" in raw


def test_no_results_is_a_card_too(summary_of: Callable[..., Summary]) -> None:
    summary = summary_of([make_run("empty", [])])
    assert "No run with speculation has results" in render(summary)


@pytest.mark.parametrize(
    "place", ["label", "title", "conditions", "task", "finding", "log", "card", "file"]
)
def test_hostile_text_breaks_nothing(
    place: str, summary_of: Callable[..., Summary], figures: dict[str, SimpleNamespace]
) -> None:
    def build(text: str) -> Summary:
        def at(name: str, usual: str) -> str:
            return text if place == name else usual

        rows = [
            (at("task", row[0]) if row[0] == TASKS[0] else row[0], *row[1:])
            for row in uniform(130.0, 195, 120)
        ]
        base = [(row[0], 192, 0, 0, 100.0) for row in rows]
        summary = summary_of(
            [
                make_run("a2", rows, n_max=2, label=at("label", "A 2")),
                with_confidences(make_run("a3", rows, label=at("label", "A 3"))),
                make_run("plain", base, "none", None, "Plain"),
                replace(make_run("a3x4", rows, label=at("label", "A 3")), concurrency=4),
                replace(make_run("plain4", base, "none", None, "Plain"), concurrency=4),
            ],
            baseline="plain",
            findings=[Finding("error", "sum-mismatch", "a2", at("finding", "rows differ"))],
            title=at("title", "Title"),
            conditions={"gpu": at("conditions", "GPU"), at("conditions", "key"): "x"},
            card={
                "license": "mit",
                "conversion": at("card", "Converted."),
                "credits": [at("card", "Us")],
                "draft_file": at("card", "draft.gguf"),
                "target_file": at("card", "target.gguf"),
            },
            files=(
                ModelFile(
                    (Part(at("file", "draft.gguf"), 7, "0" * 64),),
                    at("file", "llama"),
                    at("file", "Name"),
                    at("file", "Q8_0"),
                    tokenizer=at("file", "gpt2"),
                    vocabulary_size=1,
                    vocabulary_sha256="0" * 64,
                    groups=(TensorGroup("other", at("file", "F32"), 1, 1, 4),),
                ),
            ),
        )
        log = summary.campaign.folder / "a2.log"
        log.write_text(at("log", "raw"), encoding="utf-8")
        return summary

    usual, hostile = render(build("usual"), figures), render(build(HOSTILE), figures)
    assert usual.split("---\n")[1] == hostile.split("---\n")[1]
    for text in (usual, hostile):
        for name in section_names():
            assert text.count(f"<!-- mtpbench:end {name} -->") == 1
    rendered, wanted = (GFM.render(text.split("---\n", 2)[2]) for text in (hostile, usual))
    assert "<script" not in rendered
    assert "\u202e" not in hostile
    for tag in ("<table", "<th", "<td", "<h1", "<h2", "<h3", "<pre", "<details", "<img", "<hr"):
        assert rendered.count(tag) == wanted.count(tag), tag


def test_nothing_is_written_as_a_raw_float(wins: Summary) -> None:
    body = render(wins).split("## Raw results")[0]
    assert not re.search(r"\d\.\d{4,}", body)
    assert not re.search(r"\bnan\b|None|<NA>", body)
    assert not pd.isna(wins.runs["effective_tps"]).any()
