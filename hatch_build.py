"""Compiles ``patterns/`` to the JSON files that travel in the wheel."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompilePatterns(BuildHookInterface):
    """Adds ``ascend_doctor/_data/*.json`` to a wheel; an editable one reads the YAML."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the rules before the wheel is put together."""
        if self.target_name != "wheel" or version == "editable":
            return
        sys.path.insert(0, self.root)
        try:
            from ascend_doctor.knowledge.build import write_index
            from ascend_doctor.knowledge.pages import write_pages
        finally:
            sys.path.pop(0)
        self._folder = tempfile.TemporaryDirectory()
        for name, write in (("index.json", write_index), ("glossary.json", write_pages)):
            target = Path(self._folder.name, name)
            write(Path(self.root, "patterns"), target)
            build_data["force_include"][str(target)] = f"ascend_doctor/_data/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was only needed while building."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
