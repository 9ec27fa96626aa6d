"""Drafts made on the spot: what is in them, that they repeat, and what is refused."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFReader

from analysis.errors import ModelFileError
from analysis.models.model_files import read_model
from analysis.runner import demo_drafts, draft_recipes
from analysis.runner.demo_drafts import DEMO_DRAFTS, demo_draft
from analysis.runner.draft_recipes import DemoDraftError
from tests.runner.tiny import HIDDEN, WIDTH, tiny_target


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("MTPBENCH_CACHE", str(folder))
    return folder


def fields(path: Path) -> dict[str, object]:
    return {key: field.contents() for key, field in GGUFReader(path).fields.items()}


def tensors(path: Path) -> dict[str, np.ndarray]:
    return {tensor.name: np.array(tensor.data) for tensor in GGUFReader(path).tensors}


def test_the_self_draft_is_the_target_without_a_few_late_layers(tmp_path: Path):
    # 18 // 15 = 1 layer is left out, the one before the last two: number 15.
    target = tiny_target(tmp_path / "m.gguf", layers=18)
    made = demo_draft("demo:self", target)
    kept = [*range(15), 16, 17]
    own = fields(made)
    assert own["general.architecture"] == "llama"
    assert own["llama.block_count"] == 17
    assert own["llama.made.per_layer"] == kept
    assert own["tokenizer.ggml.tokens"] == ["<|end|>", "a", "b", "<|pad|>"]
    assert own["tokenizer.ggml.eos_token_id"] == 0
    found = tensors(made)
    assert len(found) == 1 + 2 * 17
    for place, layer in enumerate(kept):
        assert (found[f"blk.{place}.attn_norm.weight"] == layer).all()
        assert (found[f"blk.{place}.ffn_up.weight"] == layer).all()


@pytest.mark.parametrize("name", ["demo:dflash", "demo:dspark"])
def test_block_drafts_have_the_shapes_that_llama_cpp_reads(tmp_path: Path, name: str):
    made = demo_draft(name, tiny_target(tmp_path / "m.gguf", layers=18))
    facts = read_model(made)
    assert facts.architecture == "dflash"
    assert (facts.block_count, facts.block_size, facts.target_layers) == (2, 8, (3, 9, 15))
    assert facts.confidence_head is (True if name == "demo:dspark" else None)
    own, found = fields(made), tensors(made)
    # The last token that is text, and not the padding after it or the end before it.
    assert own["tokenizer.ggml.mask_token_id"] == 2
    assert own["dflash.attention.key_length"] == 8
    assert found["fc.weight"].shape == (WIDTH, 3 * WIDTH)
    assert found["blk.1.attn_k.weight"].shape == (16, WIDTH)
    assert found["blk.1.attn_q_norm.weight"].shape == (8,)
    assert found["blk.0.ffn_down.weight"].shape == (WIDTH, HIDDEN)
    assert ("markov_w1.weight" in found) is (name == "demo:dspark")
    if name == "demo:dspark":
        assert found["markov_w2.weight"].shape == (4, 64)
        assert found["conf_proj.weight"].shape == (1, WIDTH + 64)


def test_random_weights_are_spread_as_meant(tmp_path: Path):
    made = tensors(demo_draft("demo:dflash", tiny_target(tmp_path / "m.gguf")))
    weights = made["fc.weight"].astype(np.float64)
    # Uniform with variance 1 / fan-in; the standard error of a variance of n values is small.
    assert weights.var() == pytest.approx(1 / (3 * WIDTH), rel=0.05)
    assert abs(weights.mean()) < 4 * (1 / (3 * WIDTH) / weights.size) ** 0.5
    assert not np.array_equal(made["blk.0.attn_q.weight"], made["blk.1.attn_q.weight"])
    assert (made["output_norm.weight"] == 1).all()


def test_the_values_are_those_of_every_machine():
    # Worked out once, by hand from PCG64's raw stream for this name's seed.
    seed = hashlib.sha256(b"fc.weight").digest()[:8]
    first = int(np.random.PCG64(int.from_bytes(seed, "little")).random_raw()) & 0xFFFF
    expected = np.float16((first / 32767.5 - 1) * (3 / 96) ** 0.5)
    assert draft_recipes._weights("fc.weight", (WIDTH, 96))[0, 0] == expected


@pytest.mark.parametrize("name", DEMO_DRAFTS)
def test_a_draft_is_the_same_bytes_again(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
):
    target = tiny_target(tmp_path / "m.gguf")
    first = demo_draft(name, target)
    content = first.read_bytes()
    monkeypatch.setenv("MTPBENCH_CACHE", str(tmp_path / "other"))
    again = demo_draft(name, target)
    assert again != first
    assert again.read_bytes() == content


def test_a_draft_is_made_once_for_a_content_wherever_it_lies(tmp_path: Path):
    first = demo_draft("demo:self", tiny_target(tmp_path / "a.gguf"))
    os.utime(first, ns=(1, 1))
    assert demo_draft("demo:self", tiny_target(tmp_path / "b.gguf")) == first
    assert first.stat().st_mtime_ns == 1
    assert demo_draft("demo:self", tiny_target(tmp_path / "c.gguf", layers=6)) != first


def test_an_unknown_demo_draft_names_those_that_are(tmp_path: Path):
    with pytest.raises(DemoDraftError, match="use one of: demo:self, demo:dflash, demo:dspark"):
        demo_draft("demo:eagle", tiny_target(tmp_path / "m.gguf"))


def test_a_target_that_is_no_model_is_refused(tmp_path: Path):
    (tmp_path / "m.gguf").write_bytes(b"GGML" * 100)
    with pytest.raises(ModelFileError, match="not a GGUF file"):
        demo_draft("demo:self", tmp_path / "m.gguf")


@pytest.mark.parametrize(
    ("name", "made", "problem"),
    [
        ("demo:self", {"layers": 3}, "it has 3 layers"),
        ("demo:dflash", {"feed_forward": True}, "its feed_forward_length is None"),
        ("demo:dflash", {"text": True}, "its vocabulary has no plain tokens"),
    ],
)
def test_a_target_without_a_place_for_it_is_refused(
    tmp_path: Path, cache: Path, name: str, made: dict[str, object], problem: str
):
    target = tiny_target(tmp_path / "m.gguf", **made)
    with pytest.raises(DemoDraftError) as caught:
        demo_draft(name, target)
    assert caught.value.problem == f"no demo draft can be made for this model: {problem}"
    assert caught.value.file == str(target)
    assert not list((cache / "drafts").rglob("*.gguf"))
    assert not list((cache / "drafts").rglob("*.part"))


def test_a_full_disk_leaves_nothing_behind(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    target = tiny_target(tmp_path / "m.gguf")
    monkeypatch.setattr(demo_drafts.GGUFWriter, "write_tensors_to_file", full)
    with pytest.raises(DemoDraftError, match="No space left on device; make room there"):
        demo_draft("demo:self", target)
    assert not [path for path in (cache / "drafts").rglob("*") if path.is_file()]
