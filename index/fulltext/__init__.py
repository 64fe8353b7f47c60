"""Full-text search: the only room that knows Whoosh, behind one small door."""

from index.fulltext.commits import UnusableError
from index.fulltext.engine import Engine, PartialHit, whoosh_version
from index.fulltext.related import Related
from index.fulltext.slots import Leaf
from index.fulltext.snippets import occurs, snippet, spans
from index.fulltext.texts import Texts

__all__ = [
    "Engine",
    "Leaf",
    "PartialHit",
    "Related",
    "Texts",
    "UnusableError",
    "occurs",
    "snippet",
    "spans",
    "whoosh_version",
]
