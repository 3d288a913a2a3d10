"""The check of the budgets of lines."""

import pytest

from tools.budgets import over_budget


@pytest.fixture
def project(tmp_path):
    """A project with a package of three lines, a page of two, and this budget for both."""

    def project(budget):
        (tmp_path / "game").mkdir()
        (tmp_path / "game" / "rules.py").write_text("one\n\nthree\n")
        page = tmp_path / "clients" / "evilpegs_page"
        (page / "vendor").mkdir(parents=True)
        (page / "app.js").write_text("one\ntwo\n")
        (page / "vendor" / "lit.js").write_text("one\n" * 9)
        (tmp_path / "pyproject.toml").write_text(f"[tool.evilpegs.budgets]\ngame = {budget}\npage = 2\n")
        return tmp_path

    return project


def test_package_over_its_budget_is_named(project):
    (line,) = over_budget(project(2))
    assert line.startswith("game has 3 lines")


def test_package_within_its_budget_passes(project):
    assert over_budget(project(3)) == []
