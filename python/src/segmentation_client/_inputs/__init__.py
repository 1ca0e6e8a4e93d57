"""The caller's pictures and videos."""
