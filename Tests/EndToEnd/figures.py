"""Figures that tests take: shown at the end of a run, and judged where the machine is there for them alone."""

import os

import pytest

#: Whether figures that depend on the machine must be what they should be: `make measure`.
ENFORCED = os.environ.get("CLARION_LOAD") == "full"


def processor_time():
    """Of all processors since the machine began: what others took of those that it runs on, and all (proc_stat(5))."""
    times = [int(word) for word in open("/proc/stat").readline().split()[1:9]]
    return times[7], sum(times)


class Figures:
    """What a test has measured. It is shown at the end of the run, also if the test passes."""

    def __init__(self, node, lines):
        self._node = node
        self._lines = lines
        self._began = processor_time()

    def __call__(self, text):
        stolen, all_time = (now - then for now, then in zip(processor_time(), self._began))
        # Where another machine takes a few percent, a p99 tells of that one.
        others = f" (others took {stolen / all_time:.1%} of the machine)" if stolen * 100 > all_time else ""
        self._lines.append(f"{self._node.name}: {text}{others}")

    def at_most(self, value, bound, what):
        """A figure that depends on the machine, and on what else that does: beyond the bound it is told, and a failure only
        where figures are enforced. Behaviour is asserted apart from it."""
        assert self._node.get_closest_marker("measured"), "a test with such a figure is marked: @pytest.mark.measured"
        if value <= bound:
            return
        told = f"{what} is {value:.6g}, more than {bound:.6g}"
        if ENFORCED:
            pytest.fail(told)
        self(f"BEYOND ITS BOUND: {told}")
