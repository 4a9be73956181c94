"""Definitions and what they name, in a package made for the purpose."""

import ast

import pytest

from counterpoint.claims.definitions import Package, Place

FILES = {
    "__init__.py": "",
    "shop.py": """
from typing import TYPE_CHECKING
from small.kernels import sums as fast
from small.rooms import Room

if TYPE_CHECKING:
    from small.rooms import Other

PRICE = 3
UNUSED = 4

def sell(n):
    from small import rooms
    return fast.add(n, PRICE) + Room(n).size() + rooms.rent(n)

def idle():
    return UNUSED
""",
    "rooms.py": """
HEIGHT = 2

class Base:
    def size(self):
        return 1

class Room(Base):
    doors = HEIGHT

    def __init__(self, n):
        self.n = n

class Other:
    pass

def rent(n):
    return n
""",
    "kernels/__init__.py": "",
    "kernels/sums.py": "from small.kernels.deep import one\n\ndef add(a, b): return a + one(b)\n",
    "kernels/deep.py": "def one(b):\n    return b\n\n\ndef two(b):\n    return b\n",
}


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "small"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Package(folder, "small")


def everything(place, nodes):
    return True


def test_what_a_function_leads_to(package):
    found = package.leads_to([Place("small.shop", "sell")], everything)
    assert found == {
        Place("small.shop", "sell"),
        Place("small.shop", "PRICE"),
        Place("small.rooms", "Room"),
        Place("small.rooms", "Base"),
        Place("small.rooms", "HEIGHT"),
        Place("small.rooms", "rent"),
        Place("small.kernels.sums", "add"),
        Place("small.kernels.deep", "one"),
    }


def test_what_is_not_let_through_leads_no_further(package):
    found = package.leads_to(
        [Place("small.shop", "sell")], lambda place, nodes: "kernels" not in place.module
    )
    assert not {place for place in found if "kernels" in place.module}
    assert Place("small.rooms", "HEIGHT") in found


def test_a_class_is_its_head_and_a_method_is_by_itself(package):
    (head,) = package.nodes(Place("small.rooms", "Room"))
    assert ast.unparse(head) == "class Room(Base):\n    doors = HEIGHT"
    (method,) = package.nodes(Place("small.rooms", "Base.size"))
    assert method.name == "size"
    assert package.module("small.rooms").methods("Room") == {"__init__"}


def test_what_is_not_there(package):
    assert package.module("numpy") is None
    assert package.module("small.cellar") is None
    assert package.nodes(Place("small.rooms", "Room.paint")) == []
    assert package.nodes(Place("small.cellar", "Room")) == []
    assert package.leads_to([Place("small.cellar", "x")], everything) == {
        Place("small.cellar", "x")
    }
