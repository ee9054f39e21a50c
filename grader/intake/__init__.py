"""What a student or a learning platform hands over, read as data: nothing of it is run, parsed as Python or unpacked.

``load`` stages one submission; ``modules_of`` names the modules that travel with it,
``stub_text`` is what was handed out.
"""

from grader.intake.handed_out import stub_text
from grader.intake.modules import modules_of
from grader.intake.stage import load

__all__ = ["load", "modules_of", "stub_text"]
