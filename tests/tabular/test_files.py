"""Files are written whole or not at all."""

import os

import pytest

from counterpoint.tabular.files import check_output, new_file


def test_replaces_at_the_end_only(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    with new_file(path) as part:
        part.write_text("new")
        assert part.suffix == ".txt"
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_leaves_nothing_when_it_fails(tmp_path, error):
    def half():
        with new_file(tmp_path / "out.txt") as part:
            part.write_text("half")
            raise error

    with pytest.raises(error):
        half()
    assert os.listdir(tmp_path) == []


def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    link.symlink_to(real)
    with new_file(link) as part:
        part.write_text("x")
    assert link.is_symlink()
    assert real.read_text() == "x"


def test_a_device_is_written_not_replaced():
    with new_file(os.devnull) as part:
        part.write_text("x")
    assert not os.path.isfile(os.devnull)


def test_check_output(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.touch()
    assert check_output(str(file)) == file
    with pytest.raises(IsADirectoryError, match="is a folder: name a file in it"):
        check_output(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*no: make it first"):
        check_output(tmp_path / "no" / "x")
    with pytest.raises(NotADirectoryError, match="file is a file: x cannot be put into it"):
        check_output(file / "x")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="may not be written"):
        check_output(file)
