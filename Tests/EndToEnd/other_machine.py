"""A machine with another number of processors and a slower disk than this one (other_machine.c)."""

import mmap
import struct
import subprocess
from pathlib import Path

#: processors, sync_delay, syncs: three C ints.
_MACHINE = struct.Struct("3i")


class OtherMachine:
    """What hubs started with ``environment`` take their machine for."""

    def __init__(self, folder, processors=0):
        library, machine = folder / "other_machine.so", folder / "machine"
        source = Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-O1", "-Wall", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        machine.write_bytes(_MACHINE.pack(processors, 0, 0))
        with open(machine, "r+b") as file:
            self._page = mmap.mmap(file.fileno(), _MACHINE.size)
        self.environment = {"LD_PRELOAD": str(library), "OTHER_MACHINE_FILE": str(machine)}

    def slow_down(self, seconds):
        """Has each fsync(2) take so much longer, from now on."""
        struct.pack_into("i", self._page, 4, int(seconds * 1e6))

    @property
    def syncs(self):
        """How many there were."""
        return struct.unpack_from("i", self._page, 8)[0]
