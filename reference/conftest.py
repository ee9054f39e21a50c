"""``pytest reference/<name> --submission FILE`` runs the hidden checks as ordinary tests."""

pytest_plugins = ["grader.checks.pytest_plugin", "grader.debug"]
