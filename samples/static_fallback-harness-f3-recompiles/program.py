"""A Python number is read within the compiled part, so each value of it is a graph of its own."""

import torch
from torch import nn

from ascend_doctor.harness.programs import given, measured
from ascend_doctor.harness.programs.counting import Counted

LENGTHS = [64, 33, 91, 120, 17, 77, 50, 101, 84, 66, 39, 110]
MAX_LENGTH, WORDS, WIDTH = 128, 64, 32


class Model(nn.Module):
    """Looks at the first ``length`` tokens of a batch that is padded to the maximum."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.head = nn.Linear(WIDTH, WORDS)
        self.length = MAX_LENGTH
        self.cuts = True

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the logits of each token."""
        if self.cuts:
            ids = ids[:, : self.length]  # fault
        return self.head(self.embedding(ids))


def main() -> None:
    """Run lengths one after the other, and count graphs and eager steps."""
    settings = given()
    device = settings["device"]
    torch.manual_seed(settings["seed"])
    torch.set_num_threads(1)
    config = torch._dynamo.config
    name = "recompile_limit" if hasattr(config, "recompile_limit") else "cache_size_limit"
    setattr(config, name, settings["recompile_limit"])
    model = Model().to(device)
    model.cuts = settings["slice"] == "inside"
    backend = Counted(device)
    compiled = torch.compile(model, backend=backend)
    total = 0.0
    eager_steps = 0
    for step, length in enumerate(LENGTHS, 1):
        ids = torch.randint(WORDS, (2, MAX_LENGTH), device=device)
        labels = ids[:, :length]
        model.length = length
        if not model.cuts:
            ids = labels.clone()
        if settings["mark"] == "mark_dynamic":
            torch._dynamo.mark_dynamic(ids, 1, min=2, max=MAX_LENGTH)
        calls = backend.calls
        loss = nn.functional.cross_entropy(compiled(ids).flatten(0, 1), labels.flatten())
        loss.backward()
        total += loss.item()
        eager_steps += backend.calls == calls
        print(f"step {step} length {length} loss: {loss.item():.4f} graphs {backend.graphs}")
    measured(graphs=backend.graphs, eager_steps=eager_steps, loss=total / len(LENGTHS))


if __name__ == "__main__":
    main()
