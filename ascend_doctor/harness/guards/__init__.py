"""Three gates for a training script of one's own: data, model and run.

    from ascend_doctor.harness.guards import check_batch, guard_model, guard_steps

    model = guard_model(model)                   # instead of torch.compile(model)
    watch = guard_steps(optimizer)               # once, before the loop
    ...
    check_batch(batch, dynamic={"input_ids": 1}, cumulative={"cu_seqlens": "input_ids"})
    logits = watch(model(**batch), labels)       # behind each forward pass
    watch.loss(loss)                             # if it may be nan by itself

Each says in one line what is wrong, on standard error and as the error that it raises, and
``ascend-doctor analyze`` knows that line.
"""

from ascend_doctor.harness.guards.data import check_batch
from ascend_doctor.harness.guards.model import GuardedModel, guard_model
from ascend_doctor.harness.guards.saying import GuardError
from ascend_doctor.harness.guards.steps import StepWatch, guard_steps

__all__ = [
    "GuardError",
    "GuardedModel",
    "StepWatch",
    "check_batch",
    "guard_model",
    "guard_steps",
]
