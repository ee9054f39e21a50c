"""Measures what a submission costs; see ``python -m bench``."""
