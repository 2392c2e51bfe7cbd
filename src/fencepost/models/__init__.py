"""Memory models as `.cat` files: the files themselves, the language, and the list of what we have."""
