"""Full-text search: the only room that knows Whoosh, behind one small door."""

from index.fulltext.commits import UnusableError
from index.fulltext.engine import Engine, Hit, PartialHit, whoosh_version
from index.fulltext.related import Related
from index.fulltext.snippets import occurs, snippet, spans

__all__ = [
    "Engine",
    "Hit",
    "PartialHit",
    "Related",
    "UnusableError",
    "occurs",
    "snippet",
    "spans",
    "whoosh_version",
]
