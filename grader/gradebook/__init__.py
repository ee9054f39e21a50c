"""The gradebook: pure functions from standings and staff documents to sheets."""
