"""Compiles ``patterns/`` to the JSON index that travels in the wheel."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompilePatterns(BuildHookInterface):
    """Adds ``ascend_doctor/_data/index.jsonl`` to a wheel; an editable one reads the YAML."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the rules before the wheel is put together."""
        if self.target_name != "wheel" or version == "editable":
            return
        sys.path.insert(0, self.root)
        try:
            from ascend_doctor.knowledge.build import write_index
        finally:
            sys.path.pop(0)
        self._folder = tempfile.TemporaryDirectory()
        target = Path(self._folder.name, "index.jsonl")
        write_index(Path(self.root, "patterns"), target)
        build_data["force_include"][str(target)] = "ascend_doctor/_data/index.jsonl"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was only needed while building."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
