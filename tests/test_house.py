"""The picture of the house is drawn from what is there: the contract, the files, the imports."""

import importlib.util
import pkgutil
from pathlib import Path

import counterpoint

ROOT = Path(__file__).parent.parent
_spec = importlib.util.spec_from_file_location("house", ROOT / "tools" / "house.py")
house = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(house)

FLOORS = house.floors()


def test_every_package_has_a_floor():
    rooms = [room for floor in FLOORS for room in floor]
    assert len(rooms) == len(set(rooms))
    assert set(rooms) == {module.name for module in pkgutil.iter_modules(counterpoint.__path__)}


def test_imports_go_down():
    above = {room: number for number, floor in enumerate(FLOORS) for room in floor}
    plumbing = {room for floor in FLOORS for room in floor if room.startswith("_")}
    for room in above:
        for other in house.imports(room):
            beside = {room, other} <= plumbing
            assert above[room] < above[other] or beside, f"{room} imports {other}"
    assert {"diversity", "_outputs", "_validation"} <= house.imports("plots")


def test_no_arrow_is_lost_that_no_other_implies():
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert house.needed(graph) == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_lines_are_all_counted():
    files = [path for path in house.PACKAGE.rglob("*.py") if path.parent != house.PACKAGE]
    packages = [room for floor in FLOORS for room in floor if house.files(room)[0].stem != room]
    total = sum(len(path.read_text().splitlines()) for path in files)
    assert sum(house.line_count(room) for room in packages) == total


def test_the_picture_is_the_same_twice(tmp_path):
    for name in ("one.png", "two.png"):
        house.draw(tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_contributing_leads_through_all_rooms_and_pages():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert "(docs/images/house.png)" in text
    public = [room for floor in FLOORS for room in floor if not room.startswith("_")]
    for room in public:
        assert f"| `{room}` |" in text, "run make house"
    for _, page in house.pages():
        assert f"(docs/{page.name})" in text, "run make house"
