"""Executions as data: events and their relations. Analyses make them, models judge them, reports show them."""
