"""Lengths that vary compile once, and what is compiled computes the same."""

from __future__ import annotations

import pytest
import torch

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.train import attention
from ascend_doctor.harness.train.batches import packed, padded
from ascend_doctor.harness.train.compiling import compiled, mark
from ascend_doctor.harness.train.loop import train
from ascend_doctor.harness.train.model import Decoder, ModelConfig, loss_sum

SHAPE = ModelConfig(vocab=64, width=16, layers=2, heads=2, kv_heads=1, hidden=24)
# Graphs are counted and compared, not made fast. Only the operator for documents has a backward
# of its own, which this one traces as well.
BACKENDS = {"padded": "eager", "packed": "aot_eager"}
LENGTHS = (7, 30, 12, 55, 3, 41, 64, 22, 9, 18)


@pytest.fixture(autouse=True)
def no_graphs_of_others():
    torch._dynamo.reset()


def batches(kind):
    """Return a batch for each of ten lengths, rows and documents varying as well."""
    source = torch.Generator().manual_seed(0)
    for number, length in enumerate(LENGTHS):
        sizes = [max(2, length - 5 * n) for n in range(2 + number % 3)]
        texts = [torch.randint(64, (n,), generator=source) for n in sizes]
        yield padded(texts, length) if kind == "padded" else packed(texts, sum(sizes) + 1)


@pytest.mark.parametrize("kind", ["padded", "packed"])
def test_marked_lengths_make_one_graph_that_equals_eager(cpu, kind):
    way = attention.choose(cpu, heads=2, kv_heads=1, each=8, max_length=256, is_compiled=True)
    torch.manual_seed(0)
    eager = Decoder(SHAPE, attention.loop)
    fast = Decoder(SHAPE, way.attend)
    fast.load_state_dict(eager.state_dict())
    model, graphs = compiled(fast, cpu, "mark", BACKENDS[kind], "")
    widths = set()
    for batch in batches(kind):
        losses = []
        for run, moved in ((eager, batch), (model, mark(batch, 256))):
            run.zero_grad()
            loss = loss_sum(run(moved.ids, moved.positions, moved.cu_seqlens), moved.labels)
            (loss / batch.targets).backward()
            losses.append(loss.item() / batch.targets)
        assert losses[1] == pytest.approx(losses[0], abs=1e-5)
        for ours, theirs in zip(fast.parameters(), eager.parameters(), strict=True):
            torch.testing.assert_close(ours.grad, theirs.grad, atol=1e-5, rtol=1e-5)
        widths.add(batch.ids.shape[1])
    assert len(widths) >= 9
    assert graphs.count == 1


def test_a_length_that_the_model_fixes_is_an_error_where_it_is_marked(cpu):
    class Fixed(Decoder):
        def forward(self, ids, positions, cu_seqlens=None):
            return super().forward(ids, positions, cu_seqlens) * int(ids.shape[1] == 30)

    model, _ = compiled(Fixed(SHAPE, attention.loop), cpu, "mark", "eager", "")
    [_, batch, *_] = batches("padded")
    moved = mark(batch, 256)
    with pytest.raises(Exception, match="marked .*dynamic but your code specialized"):
        model(moved.ids, moved.positions)


def test_a_training_counts_its_graphs(cpu, tiny, tmp_path):
    result = train(
        tiny(
            batching__policy="grouped",
            training__compile="mark",
            training__compile_backend="eager",
            training__compile_cache=str(tmp_path / "graphs"),
        ),
        cpu,
        tmp_path,
    )
    assert result.graphs == 1


def test_a_compiler_that_is_not_there_is_one_line(cpu, tiny, tmp_path):
    config = tiny(training__compile="auto", training__compile_backend="ascend")
    with pytest.raises(HarnessError, match="compile_backend: torch.compile has no 'ascend' here"):
        train(config, cpu, tmp_path)
