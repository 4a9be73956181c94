"""A short attack on what commands write; ``make attack`` has the long one."""

import pytest

from attack import commands


def test_every_command_is_attacked_or_known_to_write_nothing():
    assert {*commands.names()} == {*commands.CASES, *commands.SILENT}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return commands.prepare(tmp_path_factory.mktemp("inputs"))


@pytest.mark.parametrize("name", ["datasets export", "measure"])
def test_a_full_disk_leaves_nothing_behind(name, inputs, tmp_path):
    defects, failed = commands.fill(name, inputs, tmp_path, 1)
    assert failed
    assert not defects
    assert not list(tmp_path.iterdir())


def test_a_kill_leaves_the_old_file(inputs, tmp_path):
    old = tmp_path / "out.csv"
    old.write_text("old\n")
    defects, killed = commands.kill("datasets export", inputs, tmp_path, 0.3)
    assert killed
    assert not defects
    assert old.read_text() == "old\n"
