"""Gradients of a few micro-batches are added up; each is divided by its own tokens."""

import torch
from torch import nn

from ascend_doctor.harness.guards import guard_steps
from ascend_doctor.harness.programs import given, measured

WORDS, WIDTH, STEPS, IGNORED = 64, 32, 4, -100
# Tokens with a label in each micro-batch of a step.
VARYING = (3, 90, 14, 61)


def batch(tokens: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a text and the tokens that follow, of which the first ones are to be learned."""
    ids = torch.randint(WORDS, (1, max(VARYING)), device=device)
    labels = (5 * ids + 7) % WORDS
    labels[:, tokens:] = IGNORED
    return ids, labels


def summed(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the loss summed over all tokens that have a label."""
    return nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="sum"
    )


def count(labels: torch.Tensor) -> torch.Tensor:
    """Return how many tokens have a label."""
    return (labels != IGNORED).sum()


def whole_gradient(
    model: nn.Module, window: list[tuple[torch.Tensor, torch.Tensor]]
) -> torch.Tensor:
    """Return the gradient of all tokens as one batch, in one row."""
    total = sum(count(labels) for _, labels in window)
    loss = sum(summed(model(ids), labels) for ids, labels in window) / total
    found = torch.autograd.grad(loss, [*model.parameters()])
    return torch.cat([gradient.flatten() for gradient in found])


def main() -> None:
    """Take a few steps, and hold each gradient against that of all tokens."""
    settings = given()
    device = settings["device"]
    torch.manual_seed(settings["seed"])
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=settings["learning_rate"])
    watch = guard_steps(optimizer, on_failure="warn")
    sizes = (0, *VARYING[1:]) if settings["unlabelled"] else VARYING
    finite, worst = 0, 0.0
    for step in range(1, STEPS + 1):
        window = [batch(tokens, device) for tokens in sizes]
        wanted = whole_gradient(model, window)
        optimizer.zero_grad()
        total = 0.0
        for ids, labels in window:
            loss = summed(watch(model(ids), labels), labels)
            if settings["normalise"] == "tokens":
                loss = loss / sum(count(each) for _, each in window).clamp(min=1)
            else:
                loss = loss / count(labels) / len(window)  # fault
            loss.backward()
            total += loss.item()
        print(f"step {step} loss: {total:.4f}", flush=True)
        finite += total == total
        found = torch.cat([p.grad.flatten() for p in model.parameters()])
        worst = max(worst, ((found - wanted).norm() / wanted.norm()).item())
        optimizer.step()
    measured(finite_steps=finite, steps=STEPS, gradient_error=worst)


if __name__ == "__main__":
    main()
