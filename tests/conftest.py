"""Its presence puts this folder on the path, so that tests can import `corpus` and other helpers beside it."""
