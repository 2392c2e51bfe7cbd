"""Fencepost: model checking for weak memory."""
