"""Report → text; each reporter is a pure function, escaping for its own format."""

from __future__ import annotations
