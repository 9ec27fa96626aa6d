import re
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from markdown_it import MarkdownIt

from analysis.cards import numbers, render, render_results, render_sections, section_names
from analysis.cards.escaping import Markdown
from analysis.cards.preset import preset
from analysis.cards.section import Entry, Place, Section
from analysis.cards.sections import SECTIONS
from analysis.models.model_files import ModelFile, Part
from analysis.models.tensor_groups import TensorGroup
from analysis.records import Finding
from analysis.summary import Summary
from tests import committed
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
    whole = replace(wins, campaign=campaign)
    card, results = render(whole, figures), render_results(whole, figures) or ""
    assert card.startswith("---\nlicense: mit\n")
    assert card.endswith("<!-- mtpbench:end credits -->\n")
    assert results.startswith("<!-- mtpbench:begin results -->\n\n# ")
    text = card + results
    assert "\r" not in text
    begun = re.findall(r"^<!-- mtpbench:begin (\S+) -->$", text, re.MULTILINE)
    assert begun == re.findall(r"^<!-- mtpbench:end (\S+) -->$", text, re.MULTILINE)
    # The campaign has no log with confidences, and one request at once alone.
    others = {"confidence", "turns"}
    assert tuple(begun) == tuple(name for name in section_names() if name not in others)
    assert card.count("](RESULTS.md)") == 1
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
    gain = numbers.speedup(own["speedup"])
    assert f"**Use DSpark, n_max 3: {gain} as fast as no speculation over all prompts**" in text
    assert (
        "- **Faster than this draft:** DFlash, n_max 7, another draft "
        f"({numbers.speedup(best['speedup'])} over all prompts; `--spec-type draft-dflash "
        "--spec-draft-n-max 7`)"
    ) in text
    assert (
        "Leave speculation off for *translation and creative writing* and "
        "*explanation and code review*." in text
    )
    assert "**Measured on:** GPU: RTX 5070 Ti; llama.cpp: b9831." in text
    assert (
        "**How sure:** 5 requests per configuration, one run each. A difference of two "
        "configurations below" in text
    )
    assert "[Org/Some-Model](https://huggingface.co/Org/Some-Model)" in text
    # One line each: code gives (200 + 180) / 2 by harmonic means, translation 70 of 100.
    assert "- **Code and structured output:** use DSpark, n_max 3 (1.89×)" in text
    assert "- **Translation and creative writing:** leave speculation off (DSpark, n_max " in text
    # Which of the two is expected to lose less there is not what is tested.
    assert "**Needs:** llama.cpp with DSpark, newer than b10066." in text


def test_what_is_needed_is_said_near_the_top(summary_of: Callable[..., Summary]) -> None:
    def needs(spec_type: str, **settings: Any) -> str:
        runs = [make_run("a", uniform(150.0, 195, 120), spec_type), plain()]
        text = render_sections(summary_of(runs, baseline="plain", **settings))["summary"]
        (line,) = [one for one in text.splitlines() if one.startswith("**Needs:**")]
        assert text.index(line) < text.index("**Use ")
        return line

    assert needs("draft-dflash") == "**Needs:** llama.cpp with DFlash, b9831 or newer."
    own = needs("draft-dflash", card={"status": "A *branch*."})
    assert own == "**Needs:** A \\*branch\\*."
    with_build = needs("draft-simple", conditions={"build": "b1"})
    assert with_build == "**Needs:** llama.cpp. Measured with b1; older builds were not tried."
    assert needs("draft-simple") == "**Needs:** llama.cpp. Which build was used is not recorded."


def test_a_draft_that_pays_on_code_alone_says_so_with_its_figure(
    summary_of: Callable[..., Summary],
) -> None:
    rates = dict(zip(TASKS, (150.0, 150.0, 60.0, 60.0, 60.0), strict=True))
    runs = [make_run("a", uniform(rates, 195, 120), label="A"), plain()]
    text = render_sections(summary_of(runs, baseline="plain"))["summary"]
    assert (
        "**Use it for *code and structured output*: A is 1.50× as fast as no speculation "
        "there** (generation only). The gain may be noise. For all prompts together it does not "
        "pay." in text
    )
    assert "To start it for *code and structured output*:" in text
    assert "- **Explanation and code review:** leave speculation off (A: ~0.60×)" in text


def test_what_another_section_has_for_the_first_screen_ends_it(
    wins: Summary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(facts: object, figures: object) -> Section:
        return Section("Served", Markdown("Much."), Markdown("Off from *8* requests at once on."))

    more = (*SECTIONS, Entry("served", write, Place.RESULTS))
    monkeypatch.setattr("analysis.cards.SECTIONS", more)
    sections = render_sections(wins)
    assert sections["summary"].endswith("\n\n- Off from *8* requests at once on.")
    assert sections["served"] == "## Served\n\nMuch."
    assert "Off from" not in sections["served"]


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
    first = sections["summary"]
    assert "**Leave speculation off: no configuration measured is faster.**" in first
    assert re.search(r"To try this draft anyway \(\S.*, 0\.\d\d×\):", first)
    assert "- **Every workload:** leave speculation off" in first
    assert ":** use " not in first
    assert sections["workloads"].count("Leave speculation off") == 4
    assert sections["recommendation"].count("| leave speculation off |") == 5
    assert "both configurations are slower than no speculation" in sections["baseline"]
    assert "faster than no speculation" not in sections["baseline"]
    for word in ("**Use ", "saves"):
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
    assert "**Use two: 95.0 tok/s over all prompts** (whole requests)" in sections["summary"]
    assert "the fastest of 2 configurations" in sections["summary"]
    reason = "No run is declared as the baseline, although **two** drafted nothing"
    for name in ("summary", "recommendation", "overall", "limits"):
        assert reason in sections[name]
        assert "No run without speculation was recorded" not in sections[name]
    assert "only configuration" not in "".join(sections.values())
    alone = render_sections(summary_of([slow]))["summary"]
    assert "no other configuration was measured. No run without speculation was recorded" in alone


def test_without_a_baseline_no_speedup_is_claimed(unpaired: Summary) -> None:
    sections = render_sections(unpaired)
    assert "baseline" not in sections
    first = sections["summary"]
    assert "**Use DFlash, n_max 3: " in first
    assert "(whole requests), the fastest of 2 configurations." in first
    assert "where speculation should be off, is not known" in first
    assert "×" not in first
    assert (
        "whether leaving speculation off is faster still is not known"
        in (sections["recommendation"])
    )
    text = render(unpaired) + (render_results(unpaired) or "")
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


def test_divergence_is_said_once(wins: Summary) -> None:
    text = render_sections(replace(wins, findings=(DIVERGED,)))
    assert "".join(text.values()).count("the same prompts and not the same tokens") == 1
    assert "the same prompts and not the same tokens" in text["limits"]
    assert "the same prompts" not in "".join(render_sections(wins).values())
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
    assert text.endswith(
        "Not recorded: GPU, driver, CPU, RAM, operating system, llama.cpp build, server flags, "
        "sampler, temperature, target file, draft file, date, prompts and requests at once."
    )
    assert "| not recorded |" not in text


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

    def files(summary: Summary) -> str:
        return render(summary, figures) + (render_results(summary, figures) or "")

    usual, hostile = files(build("usual")), files(build(HOSTILE))
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
    body = render(wins).split("Raw results</summary>")[0] + (render_results(wins) or "")
    assert not re.search(r"\d\.\d{4,}", body)
    assert not re.search(r"\bnan\b|None|<NA>", body)
    assert not pd.isna(wins.runs["effective_tps"]).any()


def test_the_headline_of_a_workload_says_that_another_draft_is_faster_there() -> None:
    text = render_sections(committed.summary("qwen3.6-35b-a3b-dspark"))["summary"]
    assert (
        "it does not pay. On *code and structured output* DFlash, n_max 7, another draft, is "
        "1.94× as fast." in text
    )


def test_a_gain_on_one_workload_that_may_be_noise_says_so(
    summary_of: Callable[..., Summary],
) -> None:
    rates = dict(zip(TASKS, (101.5, 101.5, 60.0, 60.0, 60.0), strict=True))
    runs = [make_run("a", uniform(rates, 195, 120), label="A"), plain()]
    text = render_sections(summary_of(runs, baseline="plain"))["summary"]
    assert "there** (generation only). The gain may be noise. For all prompts" in text
    assert re.search(r"use A \(~1\.0\d×\)", text)
