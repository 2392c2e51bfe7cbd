"""Source languages: each front end turns its text into a Program."""
