"""The number of a threshold as a person writes it, with a unit or without."""

from __future__ import annotations

from collections.abc import Mapping

from ascend_doctor import late

_WRITTEN = late.pattern(
    r"(?P<number>[^%µμA-Za-z]+(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf))\s*(?P<unit>.*)"
)
# How each unit is written behind a number, its usual form first; a count has none.
_SPELT: Mapping[str, tuple[str, ...]] = {
    "share": ("%",),
    "us": ("us", "µs", "μs"),
    "ms": ("ms",),
    "MiB": ("MiB",),
    "times": ("x", "times"),
    "count": (),
}


def split(text: str) -> tuple[str, str]:
    """Return a number and the unit behind it, which may be empty.

    Raises:
        ValueError: it does not begin with a number.

    >>> split("30 %"), split("1e3us"), split("-0.5")
    (('30', '%'), ('1e3', 'us'), ('-0.5', ''))
    """
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    number = found["number"].strip()
    float(number)
    return number, found["unit"]


def in_unit(number: str, written: str, unit: str) -> float | None:
    """Return a number in the unit of its threshold; None if ``written`` is another unit.

    >>> in_unit("30", "%", "share"), in_unit("5", "ms", "ms"), in_unit("5", "s", "ms")
    (0.3, 5.0, None)
    """
    if not written:
        return float(number)
    if written not in _SPELT[unit]:
        return None
    if unit != "share":
        return float(number)
    # Through decimals, as 0.1 / 100 need not be the number that 0.001 is.
    from decimal import Decimal

    return float(Decimal(number) / 100)


def with_unit(value: float, unit: str) -> str:
    """Return a value as ``split`` and ``in_unit`` read it.

    >>> with_unit(0.3, "share"), with_unit(200, "ms"), with_unit(2, "count")
    ('30%', '200ms', '2')
    """
    shown = 100 * value if unit == "share" else value
    return f"{shown:g}{''.join(_SPELT[unit][:1])}"


def examples(name: str, value: float, unit: str) -> tuple[str, ...]:
    """Return how a threshold is written, without a unit and with one if it has any.

    >>> examples("idle-share", 0.3, "share"), examples("few-steps", 2, "count")
    (('idle-share=0.3', 'idle-share=30%'), ('few-steps=2',))
    """
    return tuple(dict.fromkeys((f"{name}={value:g}", f"{name}={with_unit(value, unit)}")))
