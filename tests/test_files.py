"""Files are written whole or not at all."""

import ast
import errno
import os
import secrets
import stat
from pathlib import Path

import pytest

import counterpoint
from counterpoint._files import check_output, new_file

WRITERS = {"write_text", "write_bytes", "copyfile", "copy", "to_parquet", "mkstemp", "savefig"}


def writes(node):
    """Say whether a piece of code writes to a file by a name of its own."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "open":
        modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        return any(isinstance(mode, str) and set(mode) & set("wax") for mode in modes)
    # shutil.copy is one of them, frame.copy is not
    own = node.func.attr == "copy" and ast.unparse(node.func.value) != "shutil"
    return (node.func.attr in WRITERS and not own) or (node.func.attr == "to_csv" and node.args)


def test_every_file_is_written_through_new_file():
    strangers = []
    for path in Path(counterpoint.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        blocks = [node for node in ast.walk(tree) if isinstance(node, ast.With)]
        careful = [node for node in blocks if "new_file(" in ast.unparse(node.items[0])]
        allowed = {id(inner) for block in careful for inner in ast.walk(block)}
        found = [node for node in ast.walk(tree) if writes(node) and id(node) not in allowed]
        strangers += [f"{path.name}: {ast.unparse(node)}" for node in found]
    # The one helper that takes a target instead of making it.
    assert [line for line in strangers if not line.startswith("figures.py: figure.savefig")] == []


def test_replaces_at_the_end_only(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    with new_file(path) as part:
        part.write_text("new")
        assert part.suffix == ".txt"
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_the_name_meanwhile_is_new_and_never_followed(tmp_path, monkeypatch):
    names = []
    for _ in range(2):
        with new_file(tmp_path / "out.csv.gz") as part:
            names.append(part.name)
            assert part.stat().st_size == 0  # made already, for nobody else to make
            assert "".join(part.suffixes) == ".csv.gz"
    assert len(set(names)) == 2
    monkeypatch.setattr(secrets, "token_hex", lambda n: "guessed")
    victim = tmp_path / "victim"
    victim.write_text("dear")
    (tmp_path / ".part-guessed.txt").symlink_to(victim)
    with pytest.raises(FileExistsError), new_file(tmp_path / "out.txt") as part:
        part.write_text("gone")
    assert victim.read_text() == "dear"


def test_others_may_read_it_as_the_umask_says(tmp_path):
    (tmp_path / "plain").touch()
    with new_file(tmp_path / "out.txt") as part:
        part.write_text("x")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "out.txt")]
    assert modes[0] == modes[1]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_leaves_nothing_when_it_fails(tmp_path, error):
    def half():
        with new_file(tmp_path / "out.txt") as part:
            part.write_text("half")
            raise error

    with pytest.raises(error):
        half()
    assert os.listdir(tmp_path) == []


def test_a_full_disk_is_said_of_the_file(tmp_path):
    def fill():
        with new_file(tmp_path / "out.txt"):
            raise OSError(errno.ENOSPC, "as the library that wrote has it")

    with pytest.raises(OSError, match=r"No space left on device: '.*out\.txt'"):
        fill()
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
