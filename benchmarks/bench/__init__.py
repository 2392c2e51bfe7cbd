"""Measuring ourselves and, where they are installed, our peers."""
