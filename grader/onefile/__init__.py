"""The student's part as it travels in one file: ``python check.pyz attention.ipynb``, ``from check import check``.

Standard library, NumPy and torch are all it may use: where it runs, nothing can be installed.
"""
