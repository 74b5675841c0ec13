"""Waiting for a condition, never for a time."""

import time

#: Seconds after which a condition that did not come about is a failure. Generous: the machine may be busy.
DEADLINE = 15.0

#: Seconds between two looks.
INTERVAL = 0.005


def wait_until(condition, deadline=DEADLINE, what="the condition"):
    """Waits until ``condition()`` is true and returns what it returned.

    Raises ``AssertionError`` after ``deadline`` seconds, with the last value.
    """
    end = time.monotonic() + deadline
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come about within {deadline} s; last seen: {value!r}")
        time.sleep(INTERVAL)
