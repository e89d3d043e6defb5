"""A CPU, one thread, and trainings that take no time."""

from __future__ import annotations

import pytest
import torch

from ascend_doctor.harness import devices
from ascend_doctor.harness.train.config import Config

# Small enough for a step to take a hundredth of a second.
TINY = {
    "model.vocab": 64,
    "model.width": 16,
    "model.layers": 2,
    "model.heads": 2,
    "model.kv_heads": 1,
    "model.hidden": 24,
    "data.documents": 40,
    "data.held_out": 4,
    "batching.max_length": 64,
    "batching.batch_size": 4,
    "batching.tokens_per_batch": 128,
    "training.steps": 6,
    "training.warmup": 2,
}


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def cpu():
    return devices.choose("cpu")


@pytest.fixture
def tiny():
    """Return a configuration of a training that takes no time, with some keys set otherwise."""

    def configured(**values: object) -> Config:
        return Config().with_(
            {**TINY, **{key.replace("__", "."): value for key, value in values.items()}}
        )

    return configured
