import json
import os
from pathlib import Path

import pytest

from analysis.errors import ModelFileError
from analysis.files.hashes import CACHE_VARIABLE
from analysis.models.model_files import ModelFile, Part, model_paths, read_model
from analysis.models.tensor_groups import TensorGroup
from tests.gguf_files import TOKENS, write_gguf

# Worked out from ggml's block sizes: 34 bytes for 32 weights of Q8_0, 4 for one of F32.
EIGHT = (4 * 64, 4 * 64 // 32 * 34)


def test_facts_are_those_of_the_header(tmp_path):
    model = read_model(write_gguf(tmp_path / "made-Q8_0.gguf"))
    size = (tmp_path / "made-Q8_0.gguf").stat().st_size
    assert model.parts == (Part("made-Q8_0.gguf", size),)
    assert (model.architecture, model.name, model.quantization) == ("llama", "Made Model", "Q8_0")
    assert (model.block_count, model.context_length) == (2, 4096)
    assert (model.tokenizer, model.pre_tokenizer) == ("gpt2", "made")
    assert model.vocabulary_size == len(TOKENS)
    assert model.elements == 3 * 4 * 64 + 64
    assert model.groups == (
        TensorGroup("embedding", "Q8_0", 1, *EIGHT),
        TensorGroup("feed-forward", "Q8_0", 1, *EIGHT),
        TensorGroup("attention", "Q8_0", 1, *EIGHT),
        TensorGroup("norm", "F32", 1, 64, 256),
    )
    assert (model.block_size, model.target_layers, model.confidence_head) == (None, None, None)
    assert not model.drafts_only


def test_draft_says_what_it_drafts(tmp_path):
    model = read_model(write_gguf(tmp_path / "d.gguf", "dflash", numbers={"block_size": 8}))
    assert model.block_size == 8
    assert model.target_layers == (5, 15, 25)
    assert model.confidence_head is True
    assert model.drafts_only
    assert TensorGroup("draft", "F16", 1, 128, 256) in model.groups


def test_what_a_file_leaves_out_is_null(tmp_path):
    path = write_gguf(tmp_path / "bare.gguf", tokens=None, name=None, file_type=None)
    model = read_model(path)
    assert model.name is None
    assert model.vocabulary_size is None
    assert model.vocabulary_sha256 is None
    # No file type: the type that most bytes have.
    assert model.quantization == "Q8_0"


@pytest.mark.parametrize(
    ("number", "name"), [(15, "Q4_K_M"), (0, "F32"), (32, "BF16"), (1024, "Q8_0"), (4711, "Q8_0")]
)
def test_file_type_is_named_as_in_file_names(tmp_path, number, name):
    assert read_model(write_gguf(tmp_path / "m.gguf", file_type=number)).quantization == name


def test_vocabularies_differ_when_one_token_does(tmp_path):
    def hashed(*tokens: str) -> str | None:
        return read_model(write_gguf(tmp_path / "m.gguf", tokens=tokens)).vocabulary_sha256

    assert hashed("a", "bc") == hashed("a", "bc")
    assert len({hashed("a", "bc"), hashed("ab", "c"), hashed("bc", "a"), hashed("a", "bd")}) == 4


def test_facts_survive_json(tmp_path):
    model = read_model(write_gguf(tmp_path / "d.gguf", "dflash", numbers={"block_size": 8}))
    data = json.loads(json.dumps(model.as_dict()))
    assert ModelFile.from_dict(data) == model
    assert ModelFile.from_dict(data | {"of_a_later_version": 1}) == model
    assert str(tmp_path) not in json.dumps(data)


def test_digest_is_on_request(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    path = write_gguf(tmp_path / "m.gguf")
    assert read_model(path).parts[0].sha256 is None
    assert not (tmp_path / "cache").exists()
    assert len(read_model(path, hashed=True).parts[0].sha256 or "") == 64


def test_split_model_is_read_as_one(tmp_path):
    one = write_gguf(tmp_path / "m-00001-of-00002.gguf")
    two = write_gguf(tmp_path / "m-00002-of-00002.gguf", tokens=None)
    for named in (one, two):
        model = read_model(named)
        assert [part.name for part in model.parts] == [one.name, two.name]
        assert model.size == one.stat().st_size + two.stat().st_size
        assert model.groups[0].count == 2
        assert model.vocabulary_size == len(TOKENS)
    assert model_paths(tmp_path) == (one,)
    two.unlink()
    with pytest.raises(ModelFileError, match="part 2 of 2 is not beside it"):
        read_model(one)


def test_folder_is_its_model_files(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ModelFileError, match=r"no \.gguf file"):
        model_paths(tmp_path)
    files = [write_gguf(tmp_path / name) for name in ("a.gguf", "b.GGUF")]
    assert model_paths(tmp_path) == tuple(files)
    assert model_paths(tmp_path / "c.gguf") == (tmp_path / "c.gguf",)


@pytest.mark.parametrize("name", ["none.gguf", "m-00001-of-00000.gguf", "a\0b.gguf", "x" * 300])
def test_missing_file_is_a_users_mistake(tmp_path, name):
    with pytest.raises(ModelFileError):
        read_model(model_paths(tmp_path / name)[0])


def test_name_that_is_not_unicode_is_kept_readable(tmp_path):
    path = write_gguf(tmp_path / "m.gguf").rename(
        os.fsdecode(os.fsencode(tmp_path) + b"/\xff.gguf")
    )
    assert read_model(Path(path)).file == "\\udcff.gguf"
