"""Public checks inside a notebook, on the functions as they live in its kernel; ``kernel`` has the ways in."""
