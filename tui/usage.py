"""The error for a command that was not said rightly."""

from __future__ import annotations


class UsageError(Exception):
    """One line tells what is wrong and how to say it."""
