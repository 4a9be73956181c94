from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "decomposition.md"


def test_every_function_is_on_the_page():
    from counterpoint import decomposition

    told = PAGE.read_text(encoding="utf-8")
    functions = [name for name in decomposition.__all__ if name.islower()]
    assert [name for name in functions if f"`{name}`" not in told and f"{name}(" not in told] == []
