"""Requests, and what is done with their answers."""
