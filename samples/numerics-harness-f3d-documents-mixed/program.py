"""Documents lie one behind the other in one row, and nothing keeps them apart."""

import torch
from torch import nn

from ascend_doctor.harness.programs import given, measured

WORDS, WIDTH, HEADS, STEPS = 64, 32, 2, 3
LENGTHS = (23, 64, 11, 40, 52)


class Decoder(nn.Module):
    """Attention over a row of tokens, with a position for each."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.positions = nn.Embedding(sum(LENGTHS), WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(
        self, ids: torch.Tensor, positions: torch.Tensor, documents: torch.Tensor | None
    ) -> torch.Tensor:
        """Return the logits of each token."""
        x = self.embedding(ids) + self.positions(positions)
        q, k, v = (
            part.view(-1, HEADS, WIDTH // HEADS).transpose(0, 1)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        attend = nn.functional.scaled_dot_product_attention
        if documents is None:
            out = attend(q, k, v, is_causal=True)  # fault
        else:
            sees = (documents[:, None] == documents) & (documents[:, None] >= 0)
            out = attend(q, k, v, attn_mask=sees.tril())
        return self.head(x + out.transpose(0, 1).reshape(-1, WIDTH))


class Packed:
    """Some documents as one row."""

    def __init__(self, texts: list[torch.Tensor], *, is_reset: bool, is_masked: bool) -> None:
        self.ids = torch.cat([text[:-1] for text in texts])
        self.labels = torch.cat([text[1:] for text in texts])
        lengths = torch.tensor([len(text) - 1 for text in texts])
        device = self.ids.device
        starts = torch.cat([torch.arange(n) for n in lengths])
        self.positions = (starts if is_reset else torch.arange(len(self.ids))).to(device)
        numbers = torch.repeat_interleave(torch.arange(len(texts)), lengths).to(device)
        self.documents = numbers if is_masked else None

    def loss(self, model: Decoder) -> torch.Tensor:
        """Return the loss, summed over the tokens."""
        logits = model(self.ids, self.positions, self.documents)
        return nn.functional.cross_entropy(logits, self.labels, reduction="sum")


def gradient(model: nn.Module, loss: torch.Tensor) -> torch.Tensor:
    """Return the gradient of a loss in one row."""
    model.zero_grad()
    loss.backward()
    return torch.cat([p.grad.flatten() for p in model.parameters()])


def moved(model: Decoder, packed: Packed, first: int) -> float:
    """Return how far the outputs of later documents move when the first one is another."""
    with torch.no_grad():
        before = model(packed.ids, packed.positions, packed.documents)
        other = packed.ids.clone()
        other[:first] = (other[:first] + 1) % WORDS
        after = model(other, packed.positions, packed.documents)
    return (before - after)[first:].abs().max().item()


def main() -> None:
    """Hold the gradient of packed documents against that of each alone."""
    settings = given()
    device = settings["device"]
    torch.manual_seed(settings["seed"])
    torch.set_num_threads(1)
    model = Decoder().to(device)
    options = {"is_reset": settings["reset_positions"], "is_masked": settings["document_mask"]}
    worst = 0.0
    for step in range(1, STEPS + 1):
        texts = [torch.randint(WORDS, (n + 1,), device=device) for n in LENGTHS]
        packed = Packed(texts, **options)
        if step == 1 and (far := moved(model, packed, LENGTHS[0])) > 0:
            print(
                "warning: documents of a packed batch see each other: changing the first one "
                f"moved the outputs of the others by {far:.3g}"
            )
        alone = [Packed([text], is_reset=True, is_masked=False) for text in texts]
        wanted = gradient(model, sum(one.loss(model) for one in alone) / sum(LENGTHS))
        loss = packed.loss(model) / sum(LENGTHS)
        found = gradient(model, loss)
        worst = max(worst, ((found - wanted).norm() / wanted.norm()).item())
        print(f"step {step} loss: {loss.item():.4f}")
    measured(gradient_error=worst, steps=STEPS)


if __name__ == "__main__":
    main()
