"""Tests/XTests mirrors Sources/X: who changes a folder finds its tests in the folder of the same name."""

import pytest

from hub_process import REPOSITORY

# What tests share, and suites over several folders.
OF_THEIR_OWN = {"Support", "Conformance", "Designs", "Model", "Properties"}
SYSTEMS = {"Linux", "Darwin"}
TARGETS = [path.name for path in sorted((REPOSITORY / "Sources").iterdir())
           if (REPOSITORY / "Tests" / f"{path.name}Tests").exists()]


def folders(root):
    """The folders below, of each file by its name without `.swift`. What a system has for itself lies in one of its name."""
    found = {}
    for path in root.rglob("*.swift"):
        folder = path.parent.relative_to(root)
        found.setdefault(path.stem, set()).add(str(folder.parent if folder.name in SYSTEMS else folder))
    return found


@pytest.mark.parametrize("target", TARGETS)
def test_tests_lie_where_what_they_test_lies(target):
    sources = folders(REPOSITORY / "Sources" / target)
    known = set().union(*sources.values())
    for name, [folder] in folders(REPOSITORY / "Tests" / f"{target}Tests").items():
        assert folder in known or folder.split("/")[0] in OF_THEIR_OWN, f"{folder}/{name}"
        of_type = sources.get(name.removesuffix("Tests"), {folder})
        assert folder in of_type or folder.split("/")[0] in OF_THEIR_OWN, f"{folder}/{name} belongs in {of_type}"
