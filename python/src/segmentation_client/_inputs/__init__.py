"""The pictures and videos that a caller gives."""
