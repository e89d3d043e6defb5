"""What ``explain`` tells of a threshold: what it is about, its usual value, how it is set."""

from __future__ import annotations

from ascend_doctor.knowledge.index import Threshold
from ascend_doctor.knowledge.quantity import examples, with_unit
from ascend_doctor.records import Lang


def usual(threshold: Threshold) -> str:
    """Return the usual value with its unit."""
    return with_unit(threshold.value, threshold.unit)


def how_to_set(name: str, threshold: Threshold) -> dict[Lang, tuple[str, ...]]:
    """Return which values make sense, and where one is set."""
    low, high = (f"{bound:.10g}" for bound in threshold.range)
    form = examples(name, threshold.value, threshold.unit)[-1]
    return {
        "en": (
            f"It may be {low} to {high}. For one run: `ascend-doctor analyze --threshold {form}`.",
            f'For all of them: `threshold = ["{form}"]` in `ascend-doctor.toml`, or the variable'
            f" `ASCEND_DOCTOR_THRESHOLD={form}`.",
        ),
        "zh": (
            f"取值范围 {low} 到 {high}。只对一次运行生效："
            f"`ascend-doctor analyze --threshold {form}`。",
            f'长期生效：在 `ascend-doctor.toml` 中写 `threshold = ["{form}"]`，或设置环境变量'
            f" `ASCEND_DOCTOR_THRESHOLD={form}`。",
        ),
    }
