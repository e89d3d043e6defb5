"""The three gates: shut on each fault of their kind, open on a sound script."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn
from torch.utils.data import DataLoader

from ascend_doctor.harness import devices
from ascend_doctor.harness.guards import GuardError, check_batch, guard_model, guard_steps
from ascend_doctor.harness.guards.data import wrong_edges


@pytest.fixture(autouse=True)
def no_graphs_of_others():
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


@pytest.fixture
def told(caplog):
    """Return what the gates have logged."""
    return lambda: [r.message for r in caplog.records if r.name == "ascend_doctor.guards"]


def marked(width=8):
    ids = torch.zeros(2, width, dtype=torch.int64)
    torch._dynamo.mark_dynamic(ids, 1)
    return {"input_ids": ids, "cu_seqlens": torch.tensor([0, 3, 16], dtype=torch.int32)}


ADVICE = "call torch._dynamo.mark_dynamic after the copy to the device"


def collate_marked(items):
    return marked()


def collate_plain(items):
    return {"input_ids": torch.zeros(2, 8, dtype=torch.int64)}


class TestData:
    def test_a_sound_batch_passes(self):
        check_batch(marked(), dynamic={"input_ids": -1}, cumulative={"cu_seqlens": "input_ids"})

    @pytest.mark.parametrize(
        ("lost", "collate", "workers", "where"),
        [
            (lambda batch: batch, collate_marked, 1,
             "lost between collate_fn and the loader (num_workers=1)"),
            (lambda batch: {k: v.clone() for k, v in batch.items()}, collate_marked, 0,
             "lost between the loader and the model, on cpu"),
            (lambda batch: batch, collate_plain, 0, "nothing marked it"),
        ],
    )  # fmt: skip
    def test_where_a_mark_was_lost_is_said(self, lost, collate, workers, where, told):
        loader = DataLoader([0] * 4, batch_size=2, collate_fn=collate, num_workers=workers)
        [batch, *_] = loader
        with pytest.raises(GuardError) as caught:
            check_batch(lost(batch), dynamic={"input_ids": 1}, loader=loader)
        line = (
            "ascend-doctor data gate: input_ids has no dynamic mark on dimension 1: "
            f"{where}; {ADVICE}"
        )
        assert (str(caught.value), told()) == (line, [line])

    def test_a_weak_mark_is_none(self):
        ids = torch.zeros(2, 8, dtype=torch.int64)
        torch._dynamo.maybe_mark_dynamic(ids, 1)
        with pytest.raises(GuardError, match="maybe_mark_dynamic does not hold where the model"):
            check_batch({"input_ids": ids}, dynamic={"input_ids": 1})

    def test_it_can_warn_only(self, told):
        check_batch(collate_plain([]), dynamic={"input_ids": 1}, on_failure="warn")
        assert len(told()) == 1

    @pytest.mark.parametrize(
        ("edges", "reason"),
        [
            (torch.tensor([3, 16]), "it begins with 3, not 0; without the leading 0 is only for "
             "the kernel"),
            (torch.tensor([0, 3, 12]), "it ends with 12, but there are 16 tokens"),
            (torch.tensor([0, 9, 3, 16]), "it falls from 9 to 3 at place 2"),
            (torch.tensor([0.0]), "its type is torch.float32, not torch.int32 or torch.int64"),
            (torch.tensor([[0, 16]]), "it has 2 dimensions, not 1"),
            (torch.tensor([0]), "it has 1 entries, but a beginning and an end are needed"),
            ([0, 16], "it is a list, not a tensor"),
            (torch.arange(17), "it has 16 documents, more than 15 in one call"),
        ],
    )  # fmt: skip
    def test_edges_that_kernels_take_unchecked(self, edges, reason):
        batch = {**marked(), "cu_seqlens": edges}
        with pytest.raises(GuardError) as caught:
            check_batch(batch, cumulative={"cu_seqlens": "input_ids"}, max_documents=15)
        assert str(caught.value) == (
            f"ascend-doctor data gate: cu_seqlens is no list of cumulative lengths of input_ids: "
            f"{reason}"
        )

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(st.integers(0, 9), min_size=1, max_size=20))
    def test_all_sound_edges_pass(self, sizes):
        edges = torch.tensor([0, *sizes]).cumsum(0).to(torch.int32)
        assert wrong_edges(edges, sum(sizes)) == ""
        assert wrong_edges(edges, sum(sizes) + 1) != ""


class Sound(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.table = {}
        self.seen = 0

    def forward(self, ids):
        return self.embedding(ids)


class Cached(Sound):
    def forward(self, ids):
        width = ids.shape[1]
        if width not in self.table:
            self.table[width] = torch.ones(width)
        return self.embedding(ids) * self.table[width][:, None]


class Sliced(Sound):
    def forward(self, ids):
        return self.embedding(ids[:, : self.seen])


class Asked(Sound):
    def forward(self, ids):
        longest = int(ids.max())
        return self.embedding(ids) * longest


def ids(width, mark=False):
    made = torch.ones(2, width, dtype=torch.int64)
    if mark:
        torch._dynamo.mark_dynamic(made, 1)
    return made


def line_of(model, text):
    import inspect

    source, first = inspect.getsourcelines(model.forward)
    return first + next(n for n, line in enumerate(source) if text in line)


class TestModel:
    def test_a_sound_model_passes(self, told):
        model = guard_model(Sound(), backend="eager")
        for width in range(3, 12):
            model(ids(width, mark=True)).sum().backward()
        assert (model.graphs, len(model.shapes), model.breaks) == (1, 9, 0)
        assert told() == []
        assert [name for name, _ in model.named_parameters()] == ["model.embedding.weight"]

    def test_a_marked_length_that_is_fixed_is_told_with_its_line(self):
        model = guard_model(Cached(), backend="eager")
        with pytest.raises(GuardError) as caught:
            model(ids(5, mark=True))
        line = line_of(Cached, "not in self.table")
        assert str(caught.value) == (
            "ascend-doctor model gate: a marked length is fixed; "
            f"harness/test_guards.py:{line} in forward fixes it to 5"
        )

    def test_a_graph_a_length_is_told_with_its_line(self, told):
        model = guard_model(Sliced(), backend="eager", max_graphs=2, on_failure="warn")
        for width in range(4, 14):
            model.model.seen = width - 1
            model(ids(width))
        line = line_of(Sliced, "self.seen")
        where = f"harness/test_guards.py:{line} in forward is compiled in: self.seen == 4"
        assert told()[0] == (
            f"ascend-doctor model gate: 3 graphs for 3 shapes, where 2 should do; {where}"
        )
        assert told()[-1].startswith(
            "ascend-doctor model gate: the limit of recompilations is reached, so further lengths "
            "run uncompiled; harness/test_guards.py:"
        )
        assert model.is_uncompiled

    def test_a_break_is_told(self):
        model = guard_model(Asked(), backend="eager")
        with pytest.raises(GuardError) as caught:
            model(ids(4))
        assert str(caught.value).startswith(
            "ascend-doctor model gate: the graph breaks off in 1 places: "
        )
        assert f"test_guards.py:{line_of(Asked, 'int(')} in forward" in str(caught.value)


def learner():
    torch.manual_seed(0)
    model = nn.Linear(6, 11).double()
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def batch_of(tokens, labelled):
    labels = torch.randint(11, (tokens,))
    labels[labelled:] = -100
    return torch.randn(tokens, 6, dtype=torch.float64), labels


SIZES = ((40, 3), (40, 30), (9, 9))


class TestRuntime:
    @pytest.mark.parametrize("scale", [1.0, 1 / 3, 1024.0])
    def test_a_step_of_tokens_passes(self, scale):
        model, optimizer = learner()
        watch = guard_steps(optimizer)
        total = sum(labelled for _, labelled in SIZES)
        for tokens, labelled in SIZES:
            x, labels = batch_of(tokens, labelled)
            logits = watch(model(x), labels)
            loss = watch.loss(F.cross_entropy(logits, labels, reduction="sum") * scale / total)
            loss.backward()
        optimizer.step()
        assert watch.step == 1

    def test_a_mean_of_means_is_told(self):
        model, optimizer = learner()
        watch = guard_steps(optimizer)
        for tokens, labelled in SIZES:
            x, labels = batch_of(tokens, labelled)
            (F.cross_entropy(watch(model(x), labels), labels) / len(SIZES)).backward()
        before = model.weight.clone()
        with pytest.raises(GuardError) as caught:
            optimizer.step()
        assert str(caught.value) == (
            "ascend-doctor runtime gate: step 1: a token of batch 1 weighs 10.00 times one of "
            "batch 2: divide the summed loss by the tokens of all batches of the step, not each "
            "by its own"
        )
        assert torch.equal(model.weight, before)

    def test_equal_batches_may_be_means(self):
        model, optimizer = learner()
        watch = guard_steps(optimizer)
        for _ in range(3):
            x, labels = batch_of(20, 20)
            F.cross_entropy(watch(model(x), labels), labels).backward()
        optimizer.step()

    def test_an_error_that_was_swallowed_is_told(self):
        model, optimizer = learner()
        watch = guard_steps(optimizer)
        for number, (tokens, labelled) in enumerate(SIZES):
            x, labels = batch_of(tokens, labelled)
            logits = watch(model(x), labels)
            try:
                if number == 1:
                    raise RuntimeError("an operator failed")
                F.cross_entropy(logits, labels, reduction="sum").backward()
            except RuntimeError:
                continue
        with pytest.raises(GuardError, match=r"step 1: batch 2 of 3 gave no gradient: an error"):
            optimizer.step()

    def test_what_is_not_finite_is_told(self):
        model, optimizer = learner()
        watch = guard_steps(optimizer)
        x, labels = batch_of(8, 0)  # no label: the mean is nan, and gradients are not
        watch.loss(F.cross_entropy(watch(model(x), labels), labels)).backward()
        with pytest.raises(GuardError, match=r"step 1: the loss of batch 1 of 1 is nan"):
            optimizer.step()
        model.weight.grad[0, 0] = float("inf")
        with pytest.raises(
            GuardError,
            match=r"step 2: 1 of 2 gradients are not finite, the first of shape \(11, 6\) with "
            "norm inf",
        ):
            optimizer.step()

    def test_evaluation_between_steps_does_not_count(self):
        model, optimizer = learner()
        watch = guard_steps(optimizer)
        x, labels = batch_of(8, 8)
        with torch.no_grad():
            watch(model(x), labels)
        F.cross_entropy(watch(model(x), labels), labels).backward()
        optimizer.step()

    def test_a_device_that_computes_no_more_is_told(self, monkeypatch):
        model, optimizer = learner()
        watch = guard_steps(optimizer, checks_device=True)
        x, labels = batch_of(8, 8)
        F.cross_entropy(watch(model(x), labels), labels).backward()
        optimizer.step()
        F.cross_entropy(watch(model(x), labels), labels).backward()
        # As on an NPU after an error that was caught: adding does nothing.
        full = torch.full
        monkeypatch.setattr(torch, "full", lambda *a, **k: full(*a, **k) - watch.step)
        with pytest.raises(GuardError, match=r"step 2: cpu computes 2.0 in place of 4.0: after an"):
            optimizer.step()


def test_analyze_names_the_fault_of_a_script_that_a_gate_ended(run, tmp_path):
    code = (
        "import torch\n"
        "from ascend_doctor.harness.guards import check_batch\n"
        "batch = {'ids': torch.zeros(1, 8), 'edges': torch.tensor([0, 4])}\n"
        "check_batch(batch, cumulative={'edges': 'ids'})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**devices.environment(), "PYTHONPATH": ":".join(sys.path)},
        stderr=subprocess.PIPE,
        check=False,
    )
    (tmp_path / "train.log").write_bytes(done.stderr)
    report = json.loads(run("analyze", tmp_path, "-f", "json").stdout)
    assert [(d["rule"], d["captures"]["reason"]) for d in report["diagnoses"]] == [
        (
            "invalid-param-gate-cumulative-lengths",
            "it ends with 4, but there are 8 tokens",
        )
    ]
