"""Least repairs and weakest orders: which stronger orders and fences a program needs, and which it could do without."""
