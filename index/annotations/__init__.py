"""What the reader wrote about the papers: the only place that knows TinyDB."""

from index.annotations.history import REACH, History, Step, inverse, new_step
from index.annotations.places import AnnotationsError
from index.annotations.searches import Search
from index.annotations.store import Annotations
from index.annotations.writer import Writer

__all__ = [
    "REACH",
    "Annotations",
    "AnnotationsError",
    "History",
    "Search",
    "Step",
    "Writer",
    "inverse",
    "new_step",
]
