"""What runs inside the box, beside the student's code: nothing here is trusted, nothing here knows a check."""
