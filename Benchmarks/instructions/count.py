#!/usr/bin/env python3
"""Counts the instructions of fixed works at the hub and compares them with what was accepted. Prints a Markdown table.

Neither the machine's speed nor what else it does matters. Exits with 1 if a count exceeds the accepted one by more than the
tolerance. `--accept` writes what was counted to accepted.json: commit it with the change that is the reason.
"""

import argparse
import json
import pathlib
import shlex
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "webhooks")]

from hub import CannotCount, CountedHub  # noqa: E402
from receiver import Receiver  # noqa: E402
from servers import Unavailable  # noqa: E402
from works import WORKS  # noqa: E402

ACCEPTED = HERE / "accepted.json"


def counted(work, rounds, keep):
    """Instructions of one unit: the least of the rounds, since what comes between can only add to it."""
    each = []
    with work:
        for number in range(rounds + 1):  # the first fills caches
            work.hub.count()
            work.perform()
            total, dump = work.hub.count()
            each.append(total / work.units)
            if keep and number == rounds:
                shutil.copy(dump, keep / f"{work.name}.callgrind")
            work.after()
    return round(min(each[1:])), round(max(each[1:]))


def counted_again(found, accepted, count):
    """Those that are too many once more, in a process of its own: one may have the worse of it for all its life."""
    high = [name for name, (least, _) in found.items()
            if least > accepted[name]["instructions"] * (1 + accepted[name]["tolerance"])]
    return {name: min(found[name], again) for name, again in count(high).items()} if high else {}


def report(found, accepted):
    """Prints the table; returns whether any count is too high."""
    print("| instructions of | counted | in the worst round | accepted | over it | at most |\n|---|---:|---:|---:|---:|---:|")
    words = []
    for work in WORKS:
        if work.name not in found:
            continue
        least, most = found[work.name]
        was, tolerance = accepted[work.name]["instructions"], accepted[work.name]["tolerance"]
        print(f"| {work.title} | {least:,} | {most:,} | {was:,} | {least / was:.3f} | {1 + tolerance:.2f} |")
        if least > was * (1 + tolerance):
            words.append(f"{work.title}: {least:,} instructions, {least / was - 1:.0%} more than the {was:,} that were accepted.")
        elif least < was * (1 - tolerance):
            print(f"\n{work.title} is down by {1 - least / was:.0%}: --accept keeps it there.\n", file=sys.stderr)
    if words:
        print(
            "\n" + "\n".join(words) + "\n\n"
            "Whose they are: Benchmarks/instructions/count.py --keep FOLDER, with this build and with the one before, then\n"
            "callgrind_annotate FOLDER/*.callgrind. If the change is worth it: make instructions-accepted, and commit accepted.json.",
            file=sys.stderr)
    return bool(words)


def main():
    names = [work.name for work in WORKS]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("works", nargs="*", metavar="WORK", choices=[[], *names], help=f"some of {' '.join(names)}")
    parser.add_argument("--clarion", default=HERE.parent.parent / ".build/release/clarion", type=pathlib.Path, metavar="PATH")
    parser.add_argument("--clarion-options", default="", metavar="TEXT", help="further options for `clarion serve`")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="write what callgrind_annotate reads there")
    parser.add_argument("--if-possible", action="store_true", help="no failure where the machine does not let it, only a word")
    parser.add_argument("--accept", action="store_true", help="write the counts to accepted.json")
    arguments = parser.parse_args()
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    CountedHub.executable = arguments.clarion.resolve()
    CountedHub.options = ("--allow-egress", "127.0.0.0/8", *shlex.split(arguments.clarion_options))

    def count(names):
        found = {}
        with Receiver() as receiver, CountedHub() as hub:
            for work in WORKS:
                if work.name in names:
                    print(f"{work.title} …", file=sys.stderr, flush=True)
                    found[work.name] = counted(work(hub, receiver), arguments.rounds, arguments.keep)
        return found

    accepted = json.loads(ACCEPTED.read_text())
    try:
        found = count(arguments.works or names)
        if not arguments.accept:
            found |= counted_again(found, accepted, count)
    except (CannotCount, Unavailable) as reason:
        print(f"NOT COUNTED: {reason}", file=sys.stderr)
        return 0 if arguments.if_possible else 1
    if arguments.accept:
        for name, (least, _) in found.items():
            accepted[name]["instructions"] = least
        ACCEPTED.write_text(json.dumps(accepted, indent=2) + "\n")
    return report(found, accepted)


if __name__ == "__main__":
    sys.exit(main())
