"""What the device did, and when."""

from __future__ import annotations

import re

from msgspec import Struct

from ascend_doctor.profile.trace.cover import Cover
from ascend_doctor.profile.trace.gather import Gathered
from ascend_doctor.profile.trace.names import Role

_ROWS = (Role.COMPUTING, Role.COMMUNICATION, Role.EXPOSED)
_TASKS = (Role.KERNEL, Role.COLLECTIVE)
_LABEL = re.compile(r"(?:NPU|GPU) ?(\d{1,6})")


class Busy(Struct, frozen=True):
    """When the device computed, communicated, and communicated without computing."""

    computing: Cover
    communicating: Cover
    exposed: Cover


def busy(gathered: Gathered) -> Busy | None:
    """Return when the device was busy, None if the trace does not tell.

    It is told by rows of msprof's overlap analysis, or else by the tasks themselves. Where there
    were more than can be kept, those left out would look idle.
    """
    of = gathered.of
    is_summed = bool(of(Role.COMPUTING) or of(Role.EXPOSED))
    if any(of(role).dropped for role in (_ROWS if is_summed else _TASKS)):
        return None
    if is_summed:
        exposed = of(Role.EXPOSED).cover()
        return Busy(
            of(Role.COMPUTING).cover(), of(Role.COMMUNICATION).cover().plus(exposed), exposed
        )
    if of(Role.KERNEL) or of(Role.COLLECTIVE):
        computing, communicating = of(Role.KERNEL).cover(), of(Role.COLLECTIVE).cover()
        return Busy(computing, communicating, communicating.minus(computing))
    return None


def number_of(gathered: Gathered) -> str | None:
    """Return the number of the device, where it is one and a label says it."""
    if len(known := devices(gathered)) != 1:
        return None
    found = _LABEL.fullmatch(str(*known))
    return found[1] if found else None


def devices(gathered: Gathered) -> frozenset[int | str]:
    """Return the devices by their labels, else by their processes.

    Tasks and communication of one device are processes of their own, with the same label.
    """
    return frozenset(gathered.labels.get(key, "").strip() or key for key in gathered.devices)
