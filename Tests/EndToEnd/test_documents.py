"""The pages of docs/: what they refer to is there."""

import re

import pytest

from hub_process import REPOSITORY

PAGES = sorted((REPOSITORY / "docs").glob("*.md"))


def anchors(page):
    """The headings, as links write them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_leads_to_a_file_and_a_heading(page):
    for target, anchor in re.findall(r"\]\((?!https?:|/)([^)#]*)#?([^)]*)\)", page.read_text()):
        other = page.parent / target if target else page
        assert other.exists(), target
        assert not anchor or anchor in anchors(other), (target, anchor)


def test_the_readme_names_every_page():
    readme = (REPOSITORY / "README.md").read_text()
    assert not [page.name for page in PAGES if f"](docs/{page.name})" not in readme]
