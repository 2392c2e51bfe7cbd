"""Orders and fences in source texts: where they stand, and how to write others."""
