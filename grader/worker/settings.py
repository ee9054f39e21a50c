"""What a student's statements set for all of torch, put back after each: grading needs gradients and a device."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from torch import empty, is_anomaly_enabled, is_grad_enabled, set_default_device, set_grad_enabled
from torch.autograd import set_detect_anomaly

from grader.worker import wording
from grader.worker.records import RemarkRecord


class Settings:
    """Looked at before each statement: what is out of order then, the one before it left so."""

    def __init__(self) -> None:
        self._told: dict[str, RemarkRecord] = {}
        self._last: Mapping[str, Any] | None = None

    def before(self, place: Mapping[str, Any] | None) -> None:
        """Called with the place of the statement that runs next; None: there is none."""
        if not is_grad_enabled():
            set_grad_enabled(True)
            self._tell("gradients_off")
        if is_anomaly_enabled():  # a debugging aid: it raises over what does no harm
            set_detect_anomaly(False)
        if not _makes_tensors():
            with contextlib.suppress(Exception):
                set_default_device("cpu")
            self._tell("device")
        self._last = place

    def remarks(self) -> list[RemarkRecord]:
        return list(self._told.values())

    def _tell(self, what: str) -> None:
        if what not in self._told:
            self._told[what] = wording.put_back(what, self._last)


def _makes_tensors() -> bool:
    """Whether a new tensor can be made, and is one that holds numbers, on the device that is set for all."""
    try:
        return empty(0).device.type == "cpu"
    except Exception:  # no such device here
        return False
