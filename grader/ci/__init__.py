"""Grading a change of a repository: what it touches, the files as data, and how a CI service is told.

Nothing of a repository is checked out or run here: git hands over objects, and they are read as bytes.
"""
