"""Each batch is padded to the longest length that is allowed, most of which is not there."""

import json
import time
from dataclasses import replace

import torch
from torch import nn

from ascend_doctor.harness import lengths
from ascend_doctor.harness.batching import Batching, Group, effective, plan
from ascend_doctor.harness.programs import given, measured

WORDS, WIDTH, IGNORED = 64, 16, -100
PLANNED, TRAINED = 8000, 120
PADDED = Batching(policy="padded", max_length=1024, tokens_per_batch=2048, batch_size=8)


class Model(nn.Module):
    """Averages the tokens of a document up to each one, as the plainest attention does."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, document: torch.Tensor) -> torch.Tensor:
        """Return the logits of each token."""
        x = self.embedding(document)
        counts = torch.arange(1, x.shape[-2] + 1, device=x.device)[:, None]
        return self.head(x.cumsum(-2) / counts)


def loss_of(model: Model, texts: list[torch.Tensor], group: Group) -> torch.Tensor:
    """Return the summed loss of a batch, computed over all its slots, padding included."""
    if group.is_packed:
        logits = torch.cat([model(text) for text in texts])
        labels = torch.cat([(text + 1) % WORDS for text in texts])
    else:
        ids = torch.zeros(len(texts), group.width, dtype=torch.long, device=texts[0].device)
        wanted = torch.full_like(ids, IGNORED)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = text
            wanted[row, : len(text)] = (text + 1) % WORDS
        logits, labels = model(ids).flatten(0, 1), wanted.flatten()
    return nn.functional.cross_entropy(logits, labels, ignore_index=IGNORED, reduction="sum")


def gradient(model: nn.Module) -> torch.Tensor:
    """Return all gradients in one row, and forget them."""
    found = torch.cat([p.grad.flatten() for p in model.parameters()])
    model.zero_grad()
    return found


def main() -> None:
    """Train on all batches of a plan, and count what they hold."""
    settings = given()
    device = settings["device"]
    torch.manual_seed(settings["seed"])
    torch.set_num_threads(1)
    batching = replace(PADDED, policy=settings["batching"])
    known = lengths.mix(PLANNED, settings["seed"])
    shares = {
        policy: effective(known, plan(known, replace(PADDED, policy=policy)))
        for policy in (settings["batching"], "grouped")
    }
    model = Model().to(device)
    texts = [torch.randint(WORDS, (n,), device=device) for n in known[:TRAINED]]
    total = sum(map(len, texts))
    for number, group in enumerate(plan(known[:TRAINED], batching, settings["seed"]), 1):
        start = time.perf_counter()
        chosen = [texts[document] for document in group.documents]
        fetched = time.perf_counter()
        loss = loss_of(model, chosen, group)
        (loss / total).backward()
        tokens = sum(map(len, chosen))
        step = {
            "step": number,
            "rank": 0,
            "loss": round(loss.item() / tokens, 4),
            "data_s": round(fetched - start, 6),
            "step_s": round(time.perf_counter() - start, 6),
            "tokens": tokens,
            "slots": group.slots,
            "lengths": [len(text) for text in chosen],
        }
        print(json.dumps(step))
    found = gradient(model)
    for text in texts:
        alone = Group((0,), len(text), is_packed=True)
        (loss_of(model, [text], alone) / total).backward()
    wanted = gradient(model)
    measured(
        effective=shares[settings["batching"]],
        grouped=shares["grouped"],
        gradient_error=((found - wanted).norm() / wanted.norm()).item(),
    )


if __name__ == "__main__":
    main()
