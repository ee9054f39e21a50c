"""What a platform is given so that it can grade by itself, and what it says about a submission."""
