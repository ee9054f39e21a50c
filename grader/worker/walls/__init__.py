"""The walls around a worker: one small file each, usable and testable alone. Linux only.

Which of them a machine has differs; what they must come to does not: see ``proof``.
"""
