"""What a program goes through before an analysis takes it."""
