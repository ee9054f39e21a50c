"""A student's own run of the public checks where no process can be forked: in a fresh interpreter, kept warm."""
