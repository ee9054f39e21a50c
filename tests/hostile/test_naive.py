"""The attacks bite: a grader that runs the code beside its checks falls to each, by the weakness it names."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.hostile.arena import attacks

BITING = [attack for attack in attacks() if attack.naive]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="made of what Linux has")


def test_the_plain_grader_tells_right_from_nothing(naive_results: dict[str, Any]) -> None:
    assert (naive_results["stub"], naive_results["right"]) == (0, 4)


@pytest.mark.parametrize("attack", BITING, ids=lambda a: f"{a.group}-{a.name}")
def test_a_plain_grader_falls_to_it(attack: Any, naive_results: dict[str, Any]) -> None:
    assert attack.wins in naive_results["won"][attack.name]
