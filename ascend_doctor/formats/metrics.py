r"""Step lines: what a training loop prints of its loss, in the forms of many frameworks.

>>> parse(b" iteration      310/    2000 | lm loss: 9.1E+00 | loss scale: 1.0 | grad norm: 1.2 |")
StepLine(name='lm loss', text='9.1E+00', value=9.1, epoch=None, step=310, is_bar=False)
>>> parse(b"{'loss': 2.31, 'grad_norm': 0.91, 'learning_rate': 9e-06, 'epoch': 0.11}")
StepLine(name='loss', text='2.31', value=2.31, epoch=0.11, step=None, is_bar=False)

Only the total training loss counts. Its parts and what is measured on other data are left out:

>>> parse(b"Epoch [1][50/7330] loss_cls: 0.41, acc: 92.1, loss: 0.93")
StepLine(name='loss', text='0.93', value=0.93, epoch=1.0, step=50, is_bar=False)
>>> parse(b"Test: [10/50] Loss: 0.93"), parse(b"step 20 Box Loss: 0.4"), parse(b"val_loss: 1.2")
(None, None, None)
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from ascend_doctor import late
from ascend_doctor.view.digits import ZEROS

# A step line that lists dozens of metrics has about a thousand bytes.
MAX_LINE = 2048
# Step lines are alike but for their digits, and no pattern here tells those apart: where the values
# stand is looked for once, in the line with zeros for digits. So many such lines are remembered.
_MAX_SHAPES = 512

_Span = tuple[int, int]

_NUMBER = rb"\d{1,40}(?:\.\d{0,20})?(?:[eE][-+]?\d{1,3})?"
_NOT_FINITE = rb"(?:nan|NaN|NAN|inf|INF|Infinity)\b"
# A loss and its value; what it is a loss of stands before it.
_LOSS = late.pattern(
    rb"[Ll]oss[\"']?(?: {0,2}[:=] {0,4}| is | )[\"'(\[]{0,2}(?:tensor\(\[?)?"
    rb"(?P<value>-?(?:" + _NUMBER + rb"|" + _NOT_FINITE + rb"))(?![\w%:]|\.\d)"
)
_GRADIENT = late.pattern(
    rb"\b(?:grad_norm|grad norm|global_norm|gnorm)[\"']?(?: ?[:=] {0,2}| )[\"'\[]?"
    rb"(?P<norm>\d{1,12}(?:\.\d{1,18})?(?:[eE][-+]\d{1,3})?)(?![\w.])"
)
_TOTAL = late.pattern(
    rb"(?<![\w/.-])(?:[Ll][Mm]|[Tt]rain(?:ing)?|trainer|[Tt]otal|[Rr]unning|[Mm]ean|[Aa]vg|[Aa]verage"
    rb"|[Bb]atch|[Ss]tep|[Ii]ter(?:ation)?|[Cc]urrent|reduced_train|[Gg]lobal)[ _/]\Z"
)
# The word before a loss says which one it is, unless it is only how the sentence begins.
_WORD = late.pattern(rb"(?<!\w)([A-Za-z_][\w-]{0,31})[ \t]{1,4}\Z")
_OPENINGS = frozenset({b"INFO", b"and", b"the", b"with", b"has", b"gives", b"rank", b"TRAIN"})
_REACH = 40
_JOINED = frozenset(b"_/.-")
# Validation, test, evaluation; in Chinese as well. What is cheap to find tells where to look.
_OTHER_SIGNS = tuple(
    sign.encode()
    for sign in ("val", "Val", "VAL", "est", "EST", "dev", "redict", "验证", "测试", "评估")
)
_OTHER_DATA = late.pattern(
    rb"(?<![A-Za-z])(?i:val|valid|validat(?:e|ion|ing)|eval|evaluat(?:e|ion|ing)|test|testing|dev"
    rb"|predict(?:ion|ing)?)(?![A-Za-z])|\xe9\xaa\x8c\xe8\xaf\x81|\xe6\xb5\x8b\xe8\xaf\x95"
    rb"|\xe8\xaf\x84\xe4\xbc\xb0"
)
_COUNT = rb"[\"']?(?:\([a-z]{1,12}\))?(?: {0,3}[:=])? {0,8}[\[\"']? {0,8}"
_STEP = late.pattern(
    rb"(?<![A-Za-z])(?:global_)?(?:[Ss]teps?|[Ii]ter(?:ation)?s?|num_updates|[Bb]atch|[Uu]pdate)"
    + _COUNT
    + rb"(?P<step>\d{1,12})(?![\w%]|\.\d)"
)
_EPOCH = late.pattern(
    rb"(?<![A-Za-z])(?:[Ee]poch|Train)"
    + _COUNT
    + rb"(?P<epoch>\d{1,7}(?:\.\d{1,17})?)(?![\d%])"
    + rb"(?:/\d{1,7})?(?:[\]: ]{1,4}(?:\d{1,3}%\|[^|\n]{0,100}\| ?)?"
    + rb"\[? {0,8}(?P<step>\d{1,9}) ?/ ?\d)?"
)
# Objectives that may rise, hover or start at zero and mean no harm: reinforcement, adversaries,
# terms whose weight is ramped up.
_OBJECTIVE = late.pattern(
    rb"(?<![a-z])(?:rewards?|advantages?|kl|kld|policy|actor|critic|ppo|grpo|returns?|episode"
    rb"|epsilon|discriminator|generator|disc|gen|adv|adversarial|elbo|[dg]_loss|loss_?[dg]"
    rb"|[dg]_total|err_?[dg]|consistency|unsup|unsupervised)(?![a-z])"
)


class StepLine(Struct, frozen=True):
    """What one line says of the training loss.

    Attributes:
        name: what the line calls it.
        text: the value as printed, and ``value`` as a number, which may be nan or infinite.
        epoch: epochs done, in fractions where the framework prints them.
        step: within the epoch or overall, whichever the framework counts.
        is_bar: it is one state of a progress bar, which may repeat a value that is stale.
    """

    name: str
    text: str
    value: float
    epoch: float | None
    step: int | None
    is_bar: bool


def finite_gradient(line: bytes) -> str | None:
    """Return the norm of the gradient that ``line`` prints, None if it is not finite or absent.

    >>> finite_gradient(b"{'loss': 2.31, 'grad_norm': 0.91}"), finite_gradient(b"grad norm: nan |")
    ('0.91', None)
    """
    span = _norm_in(line.translate(ZEROS))
    return None if span is None else line[slice(*span)].decode()


@lru_cache(maxsize=_MAX_SHAPES)
def _norm_in(shape: bytes) -> _Span | None:
    found = _GRADIENT.search(shape)
    return None if found is None else found.span("norm")


def parse(line: bytes) -> StepLine | None:
    """Return what ``line`` says of the total training loss, None if it says nothing of it."""
    places = _places_in(line.translate(ZEROS))
    if places is None:
        return None
    text = line[slice(*places.value)].decode()
    return StepLine(
        name=places.name,
        text=text,
        value=float(text),
        epoch=None if places.epoch is None else float(line[slice(*places.epoch)]),
        step=None if places.step is None else int(line[slice(*places.step)]),
        is_bar=places.is_bar,
    )


class _Places(Struct, frozen=True):
    """Where the values stand in a step line."""

    name: str
    value: _Span
    epoch: _Span | None
    step: _Span | None
    is_bar: bool


@lru_cache(maxsize=_MAX_SHAPES)
def _places_in(shape: bytes) -> _Places | None:
    for found in _LOSS.finditer(shape):
        name = _total(shape, found.start())
        if name is not None:
            break
    else:
        return None
    if _is_of_other_data(shape[: found.start()]):
        return None
    epoch, step = _counted(shape)
    return _Places(name, found.span("value"), epoch, step, _is_bar(shape))


def counters(line: bytes) -> tuple[float | None, int | None]:
    """Return the epoch and the step that a line counts, of each None if it does not.

    >>> counters(b"epoch: 12/100, iter: 80/412"), counters(b"Epoch [3][150/1200]"), counters(b"x")
    ((12.0, 80), (3.0, 150), (None, None))
    """
    epoch, step = _counted(line)
    return (
        None if epoch is None else float(line[slice(*epoch)]),
        None if step is None else int(line[slice(*step)]),
    )


def _counted(line: bytes) -> tuple[_Span | None, _Span | None]:
    step = _STEP.search(line)
    epoch = _EPOCH.search(line) if b"poch" in line or b"Train" in line else None
    counts = step or epoch
    return (
        None if epoch is None else epoch.span("epoch"),
        None if counts is None or counts["step"] is None else counts.span("step"),
    )


def has_other_objective(line: bytes) -> bool:
    """Say whether a step line is of a kind of training whose loss need not fall.

    >>> has_other_objective(b"{'loss': 0.0, 'reward': 1.2}"), has_other_objective(b"loss: 2.1")
    (True, False)
    """
    return _is_other_objective(line.translate(ZEROS))


@lru_cache(maxsize=_MAX_SHAPES)
def _is_other_objective(shape: bytes) -> bool:
    return _OBJECTIVE.search(shape.lower()) is not None


def precision(text: str) -> tuple[float, int]:
    """Return the value of the last printed place of a number, and its significant digits.

    >>> precision("0.0431"), precision("9.120E+00"), precision("3")
    ((0.0001, 3), (0.001, 4), (1.0, 1))
    """
    mantissa, _, exponent = text.lower().lstrip("-").partition("e")
    whole, _, decimals = mantissa.partition(".")
    unit = float(f"1e{int(exponent or 0) - len(decimals)}")
    return unit, len((whole + decimals).lstrip("0"))


def _total(line: bytes, start: int) -> str | None:
    """Return the name of the loss at ``start``, None if what stands before names it a part."""
    before = line[max(0, start - _REACH) : start]
    known = _TOTAL.search(before)
    if known is not None:
        return (known[0] + line[start : start + 4]).decode()
    before = before.rstrip(b"\"'") if before[-1:] in (b"'", b'"') else before
    if before and (before[-1:].isalnum() or before[-1] in _JOINED):
        return None
    word = _WORD.search(before)
    return line[start : start + 4].decode() if word is None or word[1] in _OPENINGS else None


def _is_bar(line: bytes) -> bool:
    # TensorFlow 1 prints sec/step behind each step, which is no bar.
    return b"%|" in line or b"it/s" in line or b"s/it" in line or b"s/step" in line


def _is_of_other_data(before: bytes) -> bool:
    for sign in _OTHER_SIGNS:
        if sign in before:
            return _OTHER_DATA.search(before) is not None
    return False
