"""What a student or a learning platform hands over, read as data: nothing of it is run, parsed as Python or unpacked.

``load`` stages one submission; ``modules_of`` names the modules that travel with it.
"""

from grader.intake.modules import modules_of
from grader.intake.stage import load

__all__ = ["load", "modules_of"]
