"""The model gate: one graph for all lengths, in one piece, and the line that says otherwise."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch._dynamo
import torch._dynamo.utils
from torch import nn

from ascend_doctor.harness.guards.saying import OnFailure, close
from ascend_doctor.harness.train.compiling import Graphs

_SHAPES = "torch.fx.experimental.symbolic_shapes"
# How torch's log and its reasons to recompile say where: `code  # folder/file.py:12 in forward`.
_PLACE = re.compile(r"#\s+(?P<file>[^\s#:]+):(?P<line>\d+) in (?P<function>\w+)")
_FIXED = re.compile(r"eval (?:\[guard suppressed\] )?Eq\(s\d+, (?P<value>\d+)\)")
# A reason to recompile names what was other, such as `self.cur_len == 447`.
_REASON = re.compile(r"^\s*\d+/\d+: (?P<what>.{1,200}?)\s*(?:#|$)")
_RESUMED = re.compile(r"torch_dynamo_resume_in_(?P<function>\w+)_at_(?P<line>\d+)")


def guard_model(
    model: nn.Module,
    *,
    backend: str = "inductor",
    max_graphs: int = 1,
    max_breaks: int = 0,
    on_failure: OnFailure = "raise",
    **options: Any,
) -> GuardedModel:
    """Return the model compiled, and watched at each call: use it in place of ``torch.compile``.

    Evaluation without gradients compiles graphs of its own: give it ``model`` itself, or allow
    twice as many.

    Args:
        backend: What torch.compile is to use; ``npu`` where torchair is there.
        max_graphs: Graphs that are allowed for all lengths together.
        max_breaks: Places at which a graph may break off.
        options: Further options of torch.compile.
    """
    return GuardedModel(model, backend, max_graphs, max_breaks, on_failure, options)


class GuardedModel(nn.Module):
    """A compiled model that counts its graphs, their breaks, and the shapes that it was given."""

    def __init__(
        self,
        model: nn.Module,
        backend: str,
        max_graphs: int,
        max_breaks: int,
        on_failure: OnFailure,
        options: dict[str, Any],
    ) -> None:
        super().__init__()
        self.model = model
        self.max_graphs, self.max_breaks = max_graphs, max_breaks
        self.shapes: set[tuple[tuple[int, ...], ...]] = set()
        self.breaks = 0
        self.is_uncompiled = False
        self._on_failure: OnFailure = on_failure
        self._graphs = Graphs(backend)
        # Not a part of this module: its parameters are those of ``model``.
        object.__setattr__(self, "_run", torch.compile(model, backend=self._graphs, **options))
        self._told: set[str] = set()
        self._places: list[str] = []

    @property
    def graphs(self) -> int:
        """Return how many graphs were compiled so far; breaks make several of one."""
        return self._graphs.count

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the model, and check what it compiled to.

        Raises:
            GuardError: the gate is closed, and failures are to be raised.
        """
        tensors = [x for x in (*args, *kwargs.values()) if isinstance(x, torch.Tensor)]
        self.shapes.add(tuple(tuple(tensor.shape) for tensor in tensors))
        before, breaks, known = self.graphs, _breaks(), _metrics()
        try:
            with _fixed_lengths(self._places):
                made = self._run(*args, **kwargs)
        except RuntimeError as err:  # ConstraintViolationError stands elsewhere in each release
            if type(err).__name__ not in ("ConstraintViolationError", "UserError"):
                raise
            close("model", f"a marked length is fixed{self._where()}", self._on_failure, err)
            raise
        # Torch keeps the latest few: their number says nothing.
        old = {*map(id, known)}
        found = [item for item in _metrics() if id(item) not in old]
        if self.graphs != before or breaks != _breaks() or found:
            self.breaks += _breaks() - breaks
            self._check(found)
        return made

    def _check(self, compilations: list[Any]) -> None:
        """Say once of each kind what is too much."""
        for item in compilations:
            self._places += _places_of(item)
        if any("recompile" in str(getattr(x, "fail_reason", "")) for x in compilations):
            self.is_uncompiled = True
            self._tell(
                "limit", f"the limit of recompilations is reached, so further lengths run"
                f" uncompiled{self._where()}",
            )  # fmt: skip
        if self.breaks > self.max_breaks:
            self._tell("breaks", f"the graph breaks off in {self.breaks} places{self._break()}")
        elif self.graphs > self.max_graphs:
            self._tell(
                "graphs", f"{self.graphs} graphs for {len(self.shapes)} shapes, where "
                f"{self.max_graphs} should do{self._where()}",
            )  # fmt: skip

    def _tell(self, kind: str, said: str) -> None:
        if kind not in self._told:
            self._told.add(kind)
            close("model", said, self._on_failure)

    def _where(self) -> str:
        return f"; {self._places[-1]}" if self._places else "; where is not known"

    def _break(self) -> str:
        reasons = [*torch._dynamo.utils.counters["graph_break"]]
        reason = f": {str(reasons[-1]).splitlines()[0]}" if reasons else ""
        at = [place for place in self._places if place.startswith("at ")]
        return f"{reason}; {at[-1]}" if at else reason


def _breaks() -> int:
    return sum(torch._dynamo.utils.counters["graph_break"].values())


def _metrics() -> list[Any]:
    """Return what torch tells of each compilation, nothing where it has no such list."""
    asked = getattr(torch._dynamo.utils, "get_compilation_metrics", None)
    return [] if asked is None else [*asked()]


def _places_of(compilation: Any) -> list[str]:
    """Return what a compilation tells of places in the model's code."""
    found = []
    reason = str(getattr(compilation, "recompile_reason", None) or "")
    place, what = _PLACE.search(reason), _REASON.search(reason)
    name = str(getattr(compilation, "co_name", None) or "")
    file = _short(str(getattr(compilation, "co_filename", None) or ""))
    if place is not None:
        of = f" is compiled in: {what['what']}" if what is not None else ""
        found.append(f"{_short(place['file'])}:{place['line']} in {place['function']}{of}")
    elif what is not None and file:
        line = getattr(compilation, "co_firstlineno", 0)
        found.append(f"{file}:{line} in {name}: {what['what']}")
    resumed = _RESUMED.match(name)
    if resumed is not None:
        found.append(f"at {file}:{resumed['line']} in {resumed['function']}")
    return found


def _short(file: str) -> str:
    """Return a path with its folder at most, as torch writes it."""
    return "/".join(file.split(os.sep)[-2:])


class _Listener(logging.Handler):
    """Keeps where the tracer fixes a length to a number; the rest goes on as it would."""

    def __init__(self, places: list[str], others: list[logging.Handler], level: int) -> None:
        super().__init__(logging.INFO)
        self._places, self._others, self._level = places, others, level

    def emit(self, record: logging.LogRecord) -> None:
        said = record.getMessage()
        fixed, place = _FIXED.match(said), _PLACE.search(said)
        if fixed is not None and place is not None:
            self._places.append(
                f"{_short(place['file'])}:{place['line']} in {place['function']} "
                f"fixes it to {fixed['value']}"
            )
        if record.levelno >= self._level:
            for handler in self._others:
                if record.levelno >= handler.level:
                    handler.handle(record)


@contextmanager
def _fixed_lengths(places: list[str]) -> Iterator[None]:
    """Listen to what the tracer says of lengths, without more of it being shown than before."""
    log = logging.getLogger(_SHAPES)
    level, handlers, propagate = log.level, log.handlers, log.propagate
    listener = _Listener(places, handlers, log.getEffectiveLevel())
    log.handlers = [listener]
    # Those above get what they would have got only where nothing more is let through.
    log.propagate = propagate and log.getEffectiveLevel() <= logging.INFO
    log.setLevel(min(logging.INFO, log.getEffectiveLevel()))
    try:
        yield
    finally:
        log.setLevel(level)
        log.handlers, log.propagate = handlers, propagate
