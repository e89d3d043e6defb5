"""A table is kept for each length, so the length cannot stay dynamic, whatever was promised."""

import torch
from torch import nn

from ascend_doctor.harness.programs import given, measured
from ascend_doctor.harness.programs.counting import Counted

LENGTHS = [64, 33, 91, 120, 17, 77, 50, 101, 84, 66, 39, 110]
MAX_LENGTH, WORDS, WIDTH = 128, 64, 32


class Model(nn.Module):
    """Weighs each token by its place in the text."""

    def __init__(self, length_table: str) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.head = nn.Linear(WIDTH, WORDS)
        self.register_buffer("weights", torch.linspace(0.5, 1.0, MAX_LENGTH))
        self.length_table = length_table
        self.tables: dict[int, torch.Tensor] = {}

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the logits of each token."""
        length = ids.shape[1]
        if self.length_table == "sliced":
            weights = self.weights[:length]
        else:
            if length not in self.tables:  # fault
                self.tables[length] = self.weights[:length].clone()
            weights = self.tables[length]
        return self.head(self.embedding(ids) * weights[None, :, None])


def main() -> None:
    """Run lengths one after the other, compiled and eagerly."""
    settings = given()
    device = settings["device"]
    torch.manual_seed(settings["seed"])
    torch.set_num_threads(1)
    model = Model(settings["length_table"]).to(device)
    backend = Counted(device)
    compiled = torch.compile(model, backend=backend)
    mark = getattr(torch._dynamo, settings["mark"])
    bounds = {"min": 2, "max": MAX_LENGTH} if settings["mark"] == "mark_dynamic" else {}
    furthest = 0.0
    measured(graphs=0, lengths=0)
    for step, length in enumerate(LENGTHS, 1):
        ids = torch.randint(WORDS, (2, length), device=device)
        # After the copy to the device, which would lose the mark.
        mark(ids, 1, **bounds)
        loss = nn.functional.cross_entropy(compiled(ids).flatten(0, 1), ids.flatten())
        with torch.no_grad():
            eager = nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
        loss.backward()
        furthest = max(furthest, abs(loss.item() - eager.item()))
        print(f"step {step} length {length} loss: {loss.item():.4f} graphs {backend.graphs}")
        measured(graphs=backend.graphs, lengths=step, loss_error=furthest)


if __name__ == "__main__":
    main()
