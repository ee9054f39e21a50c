"""The facts the grader passes around: frozen records and enums, standard library only."""
