"""Packed, padded and one by one give the same gradients, and so does any cut into micro-batches."""

from __future__ import annotations

import pytest
import torch

from ascend_doctor.harness.ranks import Ranks
from ascend_doctor.harness.train import attention
from ascend_doctor.harness.train.batches import packed, padded
from ascend_doctor.harness.train.config import TrainingConfig
from ascend_doctor.harness.train.model import Decoder, ModelConfig, loss_sum
from ascend_doctor.harness.train.opaque import opaque
from ascend_doctor.harness.train.precision import scaler
from ascend_doctor.harness.train.step import Step

SHAPE = ModelConfig(vocab=97, width=32, layers=2, heads=4, kv_heads=2, hidden=48)
LENGTHS = (5, 2, 31, 64, 9, 17)


def decoder(dtype, attend=attention.loop):
    torch.manual_seed(0)
    return Decoder(SHAPE, attend).to(dtype)


def documents(lengths=LENGTHS, seed=1):
    source = torch.Generator().manual_seed(seed)
    return [torch.randint(97, (n,), generator=source, dtype=torch.int32) for n in lengths]


def gradient(model, batches):
    """Return the gradient of the mean loss of all tokens, as one row."""
    model.zero_grad()
    targets = sum(batch.targets for batch in batches)
    for batch in batches:
        logits = model(batch.ids, batch.positions, batch.cu_seqlens)
        (loss_sum(logits, batch.labels) / targets).backward()
    return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])


def error(found, expected):
    return ((found - expected).norm() / expected.norm()).item()


@pytest.mark.parametrize(("dtype", "most"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_packed_equals_padded_equals_one_by_one(dtype, most):
    texts, model = documents(), decoder(dtype)
    alone = gradient(model, [padded([text], len(text)) for text in texts])
    total = sum(LENGTHS)
    for batch in (
        padded(texts, 64),
        padded(texts, 80, rows=8),
        packed(texts, total),
        packed(texts, total + 37),
    ):
        assert error(gradient(model, [batch]), alone) <= most


def test_the_operator_for_compilers_equals_the_loop():
    batch = packed(documents(), 140)
    plain = gradient(decoder(torch.float64), [batch])
    whole = gradient(decoder(torch.float64, opaque("loop", attention.loop)), [batch])
    assert error(whole, plain) <= 1e-12


def test_without_edges_documents_see_each_other():
    """What the checks above are there to find, and a loss hardly shows."""
    batch = packed(documents(), sum(LENGTHS))
    model = decoder(torch.float64)
    plain = gradient(model, [batch])
    assert error(gradient(model, [batch._replace(cu_seqlens=None)]), plain) > 1e-3


def stepped(batches):
    """Return the loss and the gradient that a step takes."""
    model = decoder(torch.float64)
    taken = []

    class Kept(torch.optim.SGD):
        def step(self, closure=None):
            taken.extend(p.grad.flatten().clone() for p in model.parameters())

    device = attention.Device("cpu", "")
    settings = TrainingConfig(clip=0, precision="fp64", warmup=0)
    step = Step(
        model=model,
        optimizer=Kept(model.parameters(), lr=1.0),
        scaler=scaler(device, "fp64"),
        device=device,
        ranks=Ranks(),
        config=settings,
        most_slots=64,
    )
    outcome = step(1, batches)
    return outcome.loss, torch.cat(taken)


@pytest.mark.parametrize("cut", [(1, 2, 3), (3, 2, 1), (1, 1, 1, 1, 1, 1), (5, 1)])
def test_accumulated_batches_equal_one(cut):
    texts = documents()
    loss, whole = stepped([padded(texts, 64)])
    parts, rest = [], texts
    for size in cut:
        parts.append(packed(rest[:size], sum(map(len, rest[:size])) + 3))
        rest = rest[size:]
    loss_of_parts, added = stepped(parts)
    assert error(added, whole) <= 1e-12
    assert loss_of_parts == pytest.approx(loss, rel=1e-6)


def test_a_batch_without_any_target_changes_nothing():
    texts = documents()
    batch = padded(texts, 64)
    empty = packed([], 16)
    assert (empty.targets, empty.tokens) == (0, 0)
    loss, whole = stepped([batch])
    loss_with, with_empty = stepped([batch, empty])
    assert (loss_with, error(with_empty, whole)) == (loss, 0.0)
    loss_of_none, of_none = stepped([empty])
    assert (loss_of_none, of_none.abs().max().item()) == (0.0, 0.0)


def test_an_attention_that_is_wrong_is_found_before_training(cpu, monkeypatch):
    def leaky(q, k, v, cu_seqlens):
        return attention.causal(q, k, v)

    monkeypatch.setattr(
        attention, "_candidates", lambda device, most: iter([("fast", lambda: leaky)])
    )
    asked = {"heads": 4, "kv_heads": 2, "each": 8, "max_length": 64}
    found = attention.choose(cpu, **asked)
    assert found.name == "loop"
    assert found.reason.startswith("fast: output differs from the plain loop by ")
    with pytest.raises(attention.HarnessError, match="attention fast does not work on cpu: fast"):
        attention.choose(cpu, **asked, wanted="fast")
    with pytest.raises(attention.HarnessError, match="there are only fast, loop for it"):
        attention.choose(cpu, **asked, wanted="slow")


def test_the_way_of_an_npu_is_called_as_its_manual_says(monkeypatch):
    """A stand-in for the kernel that takes what the documented one takes."""
    calls = []

    def fused(q, k, v, head_num, *, input_layout, atten_mask, scale, sparse_mode,
              actual_seq_qlen, actual_seq_kvlen):  # fmt: skip
        calls.append((head_num, input_layout, sparse_mode, actual_seq_qlen, actual_seq_kvlen))
        assert scale == pytest.approx(q.shape[-1] ** -0.5)
        assert atten_mask.shape == (2048, 2048)
        assert [bool(atten_mask[0, 1]), bool(atten_mask[1, 0])] == [True, False]
        edges = torch.tensor([0, *actual_seq_qlen])
        return (attention.loop(q[None], k[None], v[None], edges)[0],)

    module = type("torch_npu", (), {"npu_fusion_attention": staticmethod(fused)})
    monkeypatch.setattr(attention.importlib, "import_module", lambda name: module)
    device = attention.Device("cpu", "")
    mask = torch.ones(2048, 2048, dtype=torch.bool).triu(1)
    attend = attention.partial(attention._npu, mask)
    assert attention._differs(attend, device, 4, 2, 8, torch.float64) == ""
    assert calls[0] == (4, "TND", 3, [3, 40, 41, 128], [3, 40, 41, 128])
