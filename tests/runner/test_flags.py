from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from analysis.campaigns import spec_flags
from analysis.runner import counters, embedded_flags, flags, time_left
from analysis.runner.embedded_flags import FLAGS, UnknownFlagError, read_flags
from analysis.runner.flags import SpecSettings, refusal, server_arguments, shown_command


@pytest.mark.parametrize("module", [counters, embedded_flags, flags, spec_flags, time_left])
def test_examples(module: object) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_arguments_of_a_synthetic_draft() -> None:
    spec = SpecSettings("draft-dspark", 3, 0.25, (0.8, 0.6, 0.45))
    found = server_arguments(spec, Path("t.gguf"), Path("d.gguf"), ["-ngl", "99"])
    assert " ".join(found) == (
        "-m t.gguf -md d.gguf --spec-type draft-dspark --spec-draft-n-max 3 "
        "--spec-draft-p-min 0.25 --spec-synth-rates 0.8,0.6,0.45 -np 1 --metrics -lv 4 -ngl 99"
    )


@pytest.mark.parametrize(
    ("spec_type", "flag"),
    [
        ("ngram-simple", "--spec-ngram-simple-size-m"),
        ("ngram-map-k", "--spec-ngram-map-k-size-m"),
        ("ngram-mod", "--spec-ngram-mod-n-max"),
        ("ngram-cache", "--spec-draft-n-max"),
        ("ngram-mod,draft-mtp", "--spec-draft-n-max"),
    ],
)
def test_the_depth_has_a_flag_of_its_own(spec_type: str, flag: str) -> None:
    found = server_arguments(SpecSettings(spec_type, 60), Path("t"), None)
    assert found[found.index(flag) + 1] == "60"
    assert "--spec-ngram-mod-n-min" not in found


def test_the_command_that_is_shown_has_no_secret_and_no_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    words = ["-m", "/home/anna/models/t.gguf", "-md", "/data/d.gguf", "--lora", "/home/anna/l.gguf"]
    words += [
        "--api-key=k1",
        "--hf-token",
        "k2",
        "--auth-secret",
        "k3",
        "--proxy",
        "http://a:k4@h/",
    ]
    shown = shown_command([*words, "--note", "it's $(so)"])
    assert shown == (
        "llama-server -m t.gguf -md d.gguf --lora ~/l.gguf --api-key=*** --hf-token *** "
        "--auth-secret *** --proxy http://***@h/ --note 'it'\"'\"'s $(so)'"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["-ngl", "99", "-fa", "on", "--no-host", "--spec-draft-p-split", "0.1", "-ot", "a=CPU"],
        ["--cpu-mask", "ff", "--temp", "0.5", "--top-k=40", "--chat-template", "chatml"],
        ["--no-mmap", "--override-kv", "a=int:1", "--lora", "a.gguf", "--reasoning-budget", "0"],
        [],
    ],
)
def test_flags_of_a_measurement_are_not_refused(words: list[str]) -> None:
    assert refusal(words) is None


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["-c", "512", "--host", "0.0.0.0"], "--host"),
        (["--host=0.0.0.0"], "--host"),
        (["-np", "4"], "-np"),
        (["--log-file", "a"], "--log-file"),
    ],
)
def test_flags_of_ours_are_refused(words: list[str], found: str) -> None:
    assert refusal(words) == (
        f"{found} is set by mtpbench itself",
        "remove it; [live] and [[runs]] have keys for it",
    )


OPEN = """
--rpc --tools --tools-runtime --mcp-servers-config --mcp-servers-json --agent -ag --ui-mcp-proxy
--webui-mcp-proxy --slot-save-path -lcd --lookup-cache-dynamic --log-prompts-dir --media-path --path
--ui-config-file --webui-config-file -dr --docker-repo -mmu --mmproj-url -hft --hf-token --props
--cors-origins --ssl-key-file --api-key-file --models-dir --models-preset --embd-gemma-default
--fim-qwen-7b-spec --gpt-oss-20b-default --vision-gemma-4b-default -cl --cache-list --reuse-port
--slot_save_path --rpc=here:1 --tools=all --hf_token
"""


@pytest.mark.parametrize("word", OPEN.split())
def test_flags_that_open_a_network_tools_or_files_are_refused(word: str) -> None:
    found = refusal(["-ngl", "99", word, "x"])
    assert found is not None
    assert found[0].startswith(word.partition("=")[0])


# ---- the embedded server's own


def test_the_embedded_server_understands_everything_that_the_runner_says() -> None:
    spec = SpecSettings("draft-dflash", 2, 0.5, (0.9, 0.5))
    words = server_arguments(spec, Path("t"), Path("d"), ["-fa", "off", "-ctk=q8_0", "-ngl", "all"])
    found = {setting.path: setting.value for setting in read_flags(words)}
    assert found == {
        "model.path": "t",
        "speculative.draft.mparams.path": "d",
        "speculative.types": ["DRAFT_DFLASH"],
        "speculative.draft.n_max": 2,
        "speculative.draft.p_min": 0.5,
        "speculative.synth_rates": [0.9, 0.5],
        "n_parallel": 1,
        "endpoint_metrics": True,
        "verbosity": 4,
        "flash_attn_type": "DISABLED",
        "cache_type_k": "Q8_0",
        "n_gpu_layers": -2,
    }


def test_every_flag_is_an_attribute_of_the_installed_build() -> None:
    import xllamacpp

    for flag in FLAGS.values():
        owner = xllamacpp.CommonParams()
        for name in flag.path.split("."):
            owner = getattr(owner, name)
        if flag.enumeration is not None:
            assert hasattr(xllamacpp, flag.enumeration)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mlock"], "the embedded server has no --mlock"),
        (["-c"], "-c has no value"),
        (["-c", "many"], "-c can't be 'many'"),
        (["-fa", "maybe"], "-fa can't be 'maybe'"),
    ],
)
def test_what_the_embedded_server_does_not_understand(words: list[str], said: str) -> None:
    with pytest.raises(UnknownFlagError, match=said):
        read_flags(words)
