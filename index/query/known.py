"""Parts of a tree whose papers are known by id, joined without a look at any index.

Such a part is an `Ids`, or a `Not` of one: all papers but these.
"""

from __future__ import annotations

from collections.abc import Iterable

from index.query.tree import Ids, Node, Not


def is_known(node: Node) -> bool:
    """Whether `node` is such a part."""
    return isinstance(node, Ids) or (isinstance(node, Not) and isinstance(node.part, Ids))


def negated(node: Node) -> Node:
    """What `node` leaves; known where it is."""
    return node.part if isinstance(node, Not) else Not(node)


def both(parts: Iterable[Node]) -> Node:
    """Known parts joined by And, as one; of none, every paper."""
    within: frozenset[str] | None = None
    gone = frozenset[str]()
    for part in parts:
        match part:
            case Ids(ids):
                within = ids if within is None else within & ids
            case Not(Ids(ids)):
                gone |= ids
    return Not(Ids(gone)) if within is None else Ids(within - gone)


def either(parts: Iterable[Node]) -> Node:
    """Known parts joined by Or, as one; of none, no paper."""
    return negated(both(map(negated, parts)))
