"""docs/decisions.md: numbers, dates, what supersedes what, and an index that has every entry."""

import re

from hub_process import REPOSITORY
from test_documents import anchor

TEXT = (REPOSITORY / "docs/decisions.md").read_text()
ENTRIES = re.findall(r"^## (?!Index$)(.*)\n\n(.*)\n\n(.+)", TEXT, re.M)
RELATION = re.compile(r"(supersedes|superseded by) (\d+)( in part)?")


def relations():
    """Each as (newer, older, whether in part), as the one entry has it, and as the other has."""
    found = {"supersedes": set(), "superseded by": set()}
    for number, (_, dated, _) in enumerate(ENTRIES, 1):
        for word, other, part in RELATION.findall(dated):
            newer, older = (number, int(other)) if word == "supersedes" else (int(other), number)
            found[word].add((newer, older, part))
    return found


def test_every_heading_is_an_entry_with_the_next_number():
    headings = [heading for heading in re.findall(r"^## (.*)$", TEXT, re.M) if heading != "Index"]
    assert [title for title, _, _ in ENTRIES] == headings
    assert [heading.split(".")[0] for heading in headings] == [str(number) for number in range(1, len(headings) + 1)]


def test_every_entry_has_its_date_and_what_it_supersedes():
    line = re.compile(rf"\*\d{{4}}-\d\d-\d\d(, {RELATION.pattern})*\*")
    assert not [(title, dated) for title, dated, _ in ENTRIES if not line.fullmatch(dated)]


def test_what_supersedes_and_what_is_superseded_name_each_other():
    found = relations()
    assert found["supersedes"] == found["superseded by"]
    assert all(older < newer <= len(ENTRIES) for newer, older, _ in found["supersedes"])


def test_the_index_has_every_entry_once_and_says_what_is_superseded():
    expected = []
    for title, dated, _ in ENTRIES:
        notes = [note[0] for note in RELATION.finditer(dated) if note[1] == "superseded by"]
        expected.append(", ".join([f"- [{title}](#{anchor(title)})", *notes]))
    assert sorted(re.findall(r"^- \[\d+\..*$", TEXT, re.M)) == sorted(expected)
