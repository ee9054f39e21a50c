"""Gradescope: the archive it builds its image from, and the facts it writes beside a submission."""
