"""A row of attention that may look at nothing: its softmax is 0/0."""

import torch
from torch import nn

from ascend_doctor.harness.programs import given, measured

WORDS, WIDTH, LENGTH, STEPS = 64, 32, 16, 4


class Attention(nn.Module):
    """One head, written out; padding comes first, so its rows see nothing."""

    def __init__(self, empty_rows: str) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.head = nn.Linear(WIDTH, WORDS)
        self.empty_rows = empty_rows

    def forward(self, ids: torch.Tensor, is_token: torch.Tensor) -> torch.Tensor:
        """Return the logits of each token."""
        q, k, v = self.qkv(self.embedding(ids)).chunk(3, dim=-1)
        causal = torch.ones(LENGTH, LENGTH, dtype=torch.bool, device=ids.device).tril()
        sees = causal & is_token[:, None, :]
        scores = (q @ k.transpose(-1, -2)) * WIDTH**-0.5
        if self.empty_rows == "zeroed":
            # A row that sees nothing looks at itself, and is then left out.
            sees = sees | torch.eye(LENGTH, dtype=torch.bool, device=ids.device)
        scores = scores.masked_fill(~sees, float("-inf"))
        weights = scores.softmax(-1)  # fault
        if self.empty_rows == "zeroed":
            weights = weights * is_token[:, :, None]
        return self.head(weights @ v)


def main() -> None:
    """Take a few steps, and count those that are finite."""
    settings = given()
    device = settings["device"]
    torch.manual_seed(settings["seed"])
    torch.set_num_threads(1)
    model = Attention(settings["empty_rows"]).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=settings["learning_rate"])
    ids = torch.randint(WORDS, (2, LENGTH), device=device)
    is_token = torch.ones(2, LENGTH, dtype=torch.bool, device=device)
    is_token[1, :6] = False
    finite = 0
    measured(finite_steps=finite, steps=STEPS)
    for step in range(1, STEPS + 1):
        logits = model(ids, is_token)
        loss = nn.functional.cross_entropy(logits[is_token], ids[is_token])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        gradients = [p.grad for p in model.parameters()]
        finite += bool(loss.isfinite()) and all(bool(g.isfinite().all()) for g in gradients)
        print(f"step {step} loss: {loss.item():.4f}")
        measured(finite_steps=finite, steps=STEPS)


if __name__ == "__main__":
    main()
