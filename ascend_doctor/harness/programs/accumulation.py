"""Gradients of a few micro-batches are added up; each is divided by its own tokens."""

import torch
from torch import nn

from ascend_doctor.harness.programs import given, measured

WORDS, WIDTH, STEPS, IGNORED = 64, 32, 4, -100
# Tokens with a label in each micro-batch of a step.
VARYING = (3, 90, 14, 61)
# From which error of the gradient on it is told.
NOTICED = 0.01


def batch(tokens: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a text and the tokens that follow, of which the first ones are to be learned."""
    ids = torch.randint(WORDS, (1, max(VARYING)), device=device)
    labels = (5 * ids + 7) % WORDS
    labels[:, tokens:] = IGNORED
    return ids, labels


def summed(model: nn.Module, ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the loss summed over all tokens that have a label."""
    flat = model(ids).flatten(0, 1)
    return nn.functional.cross_entropy(
        flat, labels.flatten(), ignore_index=IGNORED, reduction="sum"
    )


def count(labels: torch.Tensor) -> torch.Tensor:
    """Return how many tokens have a label."""
    return (labels != IGNORED).sum()


def gradient(model: nn.Module) -> torch.Tensor:
    """Return all gradients in one row."""
    return torch.cat([p.grad.flatten() for p in model.parameters()])


def error(model: nn.Module, window: list[tuple[torch.Tensor, torch.Tensor]]) -> float:
    """Return how far the gradient is from that of all tokens as one batch, relative to it."""
    accumulated = gradient(model).clone()
    model.zero_grad()
    total = sum(count(labels) for _, labels in window)
    sum(summed(model, *item) for item in window).div(total).backward()
    whole = gradient(model)
    return ((accumulated - whole).norm() / whole.norm()).item()


def main() -> None:
    settings = given()
    device = settings["device"]
    torch.manual_seed(settings["seed"])
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=settings["learning_rate"])
    sizes = (0, *VARYING[1:]) if settings["unlabelled"] else VARYING
    finite, errors = 0, []
    for step in range(1, STEPS + 1):
        window = [batch(tokens, device) for tokens in sizes]
        optimizer.zero_grad()
        total = 0.0
        for ids, labels in window:
            loss = summed(model, ids, labels)
            if settings["normalise"] == "tokens":
                tokens = sum(count(each) for _, each in window).clamp(min=1)
                loss = loss / tokens
            else:
                loss = loss / count(labels) / len(window)  # fault
            loss.backward()
            total += loss.item()
        print(f"step {step} loss: {total:.4f}")
        finite += total == total
        saved = gradient(model).clone()
        errors.append(error(model, window))
        if step == 1 and errors[0] > NOTICED:
            print(
                f"warning: micro-batches of {min(sizes)} to {max(sizes)} tokens count the same: "
                f"the gradient is off by {errors[0]:.1%} from that of all tokens"
            )
        for p, g in zip(
            model.parameters(), saved.split([p.numel() for p in model.parameters()]), strict=True
        ):
            p.grad = g.view_as(p).clone()
        optimizer.step()
    known = [value for value in errors if value == value]
    measured(finite_steps=finite, steps=STEPS, gradient_error=max(known, default=float("nan")))


if __name__ == "__main__":
    main()
