"""``harness memory``: what it foretells holds, and where it cannot foretell it says so."""

from __future__ import annotations

import weakref

import pytest
import torch

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness import memory
from ascend_doctor.harness.memory import Fit, LiveBytes, Probe
from ascend_doctor.harness.train.probing import resident_bytes, step_on

LENGTHS = (32, 64, 96, 128, 192)
MIB = 1 << 20


def kept_scores(documents, tokens):
    """Attend as a plain implementation does, which keeps all pairs of tokens."""
    x = torch.ones(documents, tokens, 16, requires_grad=True)
    ((x @ x.transpose(1, 2)).softmax(-1) @ x).sum().backward()


def test_bytes_of_tensors_are_counted_while_they_live():
    with LiveBytes() as counted:
        first = torch.zeros(1000)
        view = first[10:]
        second = first + 1
        del first
        assert (counted.live, counted.peak) == (8000, 8000)  # the view keeps it
        del view, second
        assert (counted.live, counted.peak) == (0, 8000)
        torch.zeros(500)
        assert counted.peak == 8000


def test_nothing_is_kept_alive_by_counting():
    with LiveBytes():
        made = torch.zeros(10)
        seen = weakref.ref(made)
        del made
        assert seen() is None


@pytest.mark.parametrize("kind", ["model", "kept scores"])
def test_the_longest_length_fits_and_a_quarter_more_does_not(kind, cpu, tiny):
    work = step_on(tiny(), cpu) if kind == "model" else kept_scores
    found, probes = memory.measured(work, cpu, LENGTHS)
    assert found.error <= 0.10
    assert [(p.batch, p.length) for p in probes] == [*((2, n) for n in LENGTHS), (4, 128)]
    for batch, budget in ((2, 8 * MIB), (5, 8 * MIB)):
        longest = found.longest(batch, 0.9 * budget)
        assert longest > LENGTHS[-1] or batch == 5
        assert memory.probe(work, batch, longest, cpu).peak <= budget
        assert memory.probe(work, batch, int(1.25 * longest), cpu).peak > budget
    largest = found.largest(100, 0.9 * 8 * MIB)
    assert memory.probe(work, largest, 100, cpu).peak <= 8 * MIB
    assert memory.probe(work, int(1.25 * largest), 100, cpu).peak > 8 * MIB


def test_kept_scores_grow_with_the_square():
    device = memory.Device("cpu", "")
    found, _ = memory.measured(kept_scores, device, LENGTHS)
    # Scores, their softmax and a gradient of each, four bytes a pair.
    assert found.a_pair == pytest.approx(4 * 4, rel=0.3)


def drawn(peaks):
    sizes = [(2, n) for n in LENGTHS] + [(4, 128)]
    return [Probe(*size, peak) for size, peak in zip(sizes, peaks, strict=True)]


def fitted(probes):
    held_out = [probes[1], probes[3]]
    return memory.fit([p for p in probes if p not in held_out], held_out)


def test_steps_of_an_allocator_cannot_be_foretold():
    pools = [(2 * n // 100 + 1) * 20 * MIB for n in LENGTHS] + [200 * MIB]
    with pytest.raises(HarnessError, match="memory cannot be foretold: "):
        fitted(drawn(pools))


def test_memory_that_shrinks_cannot_be_foretold():
    with pytest.raises(HarnessError, match=r"negative part \(bytes a token\)|negative part \(fix"):
        fitted(drawn([10 * MIB - 2 * n * 1000 for n in LENGTHS] + [9 * MIB]))


def test_an_exact_fit():
    def peak(batch, length):
        return 5000 + batch * (300 * length + 2 * length**2)

    found = fitted([Probe(b, n, peak(b, n)) for b, n in [(2, n) for n in LENGTHS] + [(4, 128)]])
    assert (round(found.fixed), round(found.a_token), round(found.a_pair)) == (5000, 300, 2)
    assert found.error == pytest.approx(0, abs=1e-9)
    assert found.longest(1, peak(1, 80)) == 80
    assert found.longest(1, 10) == 0
    assert found.largest(80, peak(7, 80) + 1) == 7
    assert found.largest(80, 10) == 0
    assert Fit(0, 0.0, 1.0, 0).longest(1, 64.0) == 8


def test_weights_are_counted_without_being_made(cpu, tiny):
    config = tiny()
    step = step_on(config, cpu)
    model = step.__closure__
    weights = next(c.cell_contents for c in model if isinstance(c.cell_contents, torch.nn.Module))
    assert resident_bytes(config) == 4 * 4 * sum(p.numel() for p in weights.parameters())


def test_the_command_says_what_is_safe(run):
    done = run("harness", "memory", "--device", "cpu", "--budget", "400M")
    assert done.exit_code == 0, done.output
    told = dict(line.split(maxsplit=1) for line in done.output.splitlines())
    assert told["error"].endswith("at most, on probes that were not fitted")
    assert told["budget"] == "400 MiB, of which 10% is left free"
    assert told["longest"].startswith("max_length 2,")
    assert told["largest"].startswith("batches of 2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "error: how much memory a CPU may use is not known; give --budget SIZE"),
        (("--budget", "lots"), "'lots' is no size; write it as 400M or 60G"),
        (("--budget", "0"), "'0' is no size"),
        (("--budget", "1G", "--probes", "8,16"), "five or more rising lengths are needed"),
        (("--budget", "1G", "--probes", "a"), "'a': numbers and commas only"),
    ],
)
def test_what_is_missing_is_one_line(run, options, message):
    done = run("harness", "memory", "--device", "cpu", *options)
    assert done.exit_code == 2
    assert message in done.output
