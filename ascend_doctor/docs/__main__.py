"""``python -m ascend_doctor.docs FOLDER``: write what is generated, remove what is stale."""

from __future__ import annotations

import sys
from pathlib import Path

from ascend_doctor.docs.build import write

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m ascend_doctor.docs FOLDER")
    for line in write(Path(sys.argv[1])):
        sys.stdout.write(f"{line}\n")
