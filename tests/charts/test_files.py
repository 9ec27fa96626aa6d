import pytest

from analysis.charts import make_all
from analysis.charts.files import draw, write
from analysis.errors import ReportError


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "deep" / "a.png"
    write(b"one", path)
    write(b"two", path)
    assert path.read_bytes() == b"two"
    assert [item.name for item in path.parent.iterdir()] == ["a.png"]


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    write(b"old", path)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", stop)
    with pytest.raises(KeyboardInterrupt):
        write(b"new", path)
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == ["a.png"]


def test_a_place_that_cant_be_written_is_the_users_to_know(tmp_path, frames):
    (tmp_path / "figures").write_text("a file where the folder should be")
    with pytest.raises(ReportError) as caught:
        draw(make_all(frames)[:1], tmp_path)
    assert "throughput.png" in caught.value.where
    assert "can't be written" in caught.value.problem


def test_other_files_are_left_alone(tmp_path, frames):
    (tmp_path / "figures").mkdir()
    other = tmp_path / "figures" / "other.png"
    other.write_bytes(b"mine")
    draw(make_all(frames)[:1], tmp_path)
    assert other.read_bytes() == b"mine"
