"""What crosses the wall: plain values in bounded frames. Used by both sides, trusts neither."""
