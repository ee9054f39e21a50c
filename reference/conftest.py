"""``pytest reference/<name> --submission FILE`` runs the hidden checks as ordinary tests."""

pytest_plugins = ["grader.debug"]
