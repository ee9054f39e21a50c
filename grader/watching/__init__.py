"""What happens while somebody works: files that are saved, keys that are pressed. Knows nothing of checks."""
