"""What a reader says when a file cannot be read on."""

from __future__ import annotations


class BrokenFileError(ValueError):
    """The file cannot be read on; the message says where and why. The records before it are good."""
