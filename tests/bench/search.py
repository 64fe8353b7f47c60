"""Queries, build, size, opening and memory of postil's search, beside plain Whoosh, SQLite FTS5, tantivy.

Run by hand: `.venv/bin/python -m tests.bench.search [--papers 393 10000 100000] [--seconds S]
[--libraries DIR]`. It prints a Markdown table for each number of papers; 393 are the shipped lists. The
queries are drawn from the papers themselves by a fixed seed. Figures are CPU milliseconds, median / p95, and
the ratio is what counts. tantivy is the optional extra `bench`; where it is not installed its column says so.

At 100,000 papers building takes some ten minutes. With DIR, what was built there is used again as long as the
engine is the same, for postil all of `index/fulltext/`; its build time is told as it was then.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import os
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, Final

from whoosh.analysis import STOP_WORDS

from index.papers import Paper
from tests.bench.engines import ALL, SHOWN, there
from tests.bench.store import memory
from tests.index.test_fulltext_oracle import seed_papers

ROOT: Final = Path(__file__).parents[2]
CORPORA: Final = ROOT.parent / "shared" / "corpora"
SHIPPED: Final = 393
MOST: Final = 40
LEAST: Final = 5
"""How many queries of one kind are asked, if there is time."""
KINDS: Final = {
    "rare": "one rare word",
    "common": "one common word",
    "and": "two words",
    "phrase": "a phrase",
    "prefix 2": "a prefix of 2 letters",
    "prefix 3": "a prefix of 3 letters",
    "prefix 4": "a prefix of 4 letters",
    "typed": "two words, letter by letter",
    "edit": "a word with one edit",
    "field": "a word in the title",
    "filter": "a word, among a tenth of the papers",
    "snippet": f"a word, with snippets of the first {SHOWN}",
}
Queries = dict[str, list[str]]


def corpus(count: int) -> Iterator[Paper]:
    """So many papers: the shipped lists, or the first of a corpus. Raises FileNotFoundError."""
    if count <= SHIPPED:
        yield from seed_papers()[:count]
        return
    name = "abstracts-10k.jsonl.xz" if count <= 10_000 else "abstracts-100k.jsonl.xz"
    with lzma.open(CORPORA / name, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(islice(lines, count)):
            told = json.loads(line)
            yield Paper(
                id=f"p{number:09}",
                heading=told.get("title") or "",
                name=None,
                abstract=" ".join(told["abstract"].split()),
                sources=(),
                title=told.get("title"),
            )


# The queries


def drawn(papers: Sequence[Paper]) -> Queries:
    """Texts of each kind, by a fixed seed."""
    chance = random.Random(393)
    some = chance.sample(papers, min(len(papers), 5_000))
    rows = [re.findall("[a-z]{3,}", paper.abstract.casefold()) for paper in some]
    holders = Counter(word for row in rows for word in {*row} - STOP_WORDS)
    by_count = [word for word, _ in holders.most_common()]
    known = [word for word in sorted(holders) if len(word) > 4 and holders[word] > 2]
    titles = [word for paper in some for word in re.findall("[A-Za-z]{5,}", paper.title or paper.heading)]
    pairs = [chance.sample(sorted({*row} & {*known}), 2) for row in chance.sample(rows, MOST)]
    typed = [" ".join(pair) for pair in pairs[:4]]
    starts = chance.sample(known, MOST)
    found = {
        "rare": chance.sample(sorted(word for word in holders if holders[word] <= 2 < len(word)), MOST),
        "common": by_count[:MOST],
        "and": [" ".join(pair) for pair in pairs],
        "phrase": [_stretch(chance, chance.choice(some).abstract) for _ in range(MOST)],
        **{f"prefix {n}": [f"{word[:n]}*" for word in starts] for n in (2, 3, 4)},
        "typed": [f"{text[:n]}*" for text in typed for n in range(2, len(text) + 1) if text[n - 1] != " "],
        "edit": [_changed(chance, word) for word in chance.sample(known, MOST)],
        "field": [word.casefold() for word in chance.sample(titles, MOST)],
    }
    # Other words, so that no kind profits from what another left in memory.
    return found | {"filter": by_count[MOST : 2 * MOST], "snippet": by_count[2 * MOST : 3 * MOST]}


def _stretch(chance: random.Random, abstract: str) -> str:
    """Two or three words that stand together in an abstract."""
    runs = [run.split() for run in re.findall("[A-Za-z]+(?: [A-Za-z]+)+", abstract)]
    run = chance.choice(runs or [["our", "method"]])
    at = chance.randrange(max(1, len(run) - 2))
    return " ".join(run[at : at + chance.randint(2, 3)]).casefold()


def _changed(chance: random.Random, word: str) -> str:
    at = chance.randrange(1, len(word))
    return chance.choice((word[:at] + word[at + 1 :], word[:at] + chance.choice("aeinst") + word[at + 1 :]))


# One engine, in a process of its own


def built(name: str, folder: Path, count: int) -> dict[str, float]:
    """Seconds of CPU to index so many papers that are in memory."""
    papers = list(corpus(count))
    began = time.process_time()
    ALL[name].build(folder, papers)
    return {"seconds": time.process_time() - began}


def opened(name: str, folder: Path, _count: int) -> dict[str, float]:
    """Milliseconds of CPU to open and answer one query, and the memory before and after, in MB."""
    before = memory()
    began = time.process_time()
    engine = ALL[name](folder)
    engine.ask("and", "neural network", ())
    took = 1000 * (time.process_time() - began)
    return {"ms": took, "before": before, "after": memory()}


def asked(name: str, folder: Path, count: int, seconds: float) -> dict[str, list[float]]:
    """Milliseconds of CPU of the queries of each kind; of a kind that the engine has not, none."""
    papers = list(corpus(count))
    queries = drawn(papers)
    chosen = sorted(paper.id for paper in random.Random(1).sample(papers, len(papers) // 10))
    engine = ALL[name](folder)
    if name == "postil":
        engine.abstracts = {paper.id: paper.abstract for paper in papers}
    del papers
    engine.ask("and", "neural network", ())  # what is done once
    if name == "FTS5":
        engine.choose(chosen)
    took = {}
    for kind in KINDS:
        ask = engine.show if kind == "snippet" else partial(_asked, engine, kind, chosen)
        took[kind] = timed(ask, queries[kind], seconds)
    return took


def _asked(engine: Any, kind: str, chosen: Sequence[str], text: str) -> Any:
    return engine.ask(kind, text, chosen)


def timed(ask: Callable[[str], Any], texts: Iterable[str], seconds: float) -> list[float]:
    took: list[float] = []
    until = time.monotonic() + seconds
    for text in texts:
        if len(took) >= LEAST and time.monotonic() > until:
            break
        began = time.process_time()
        answer = ask(text)
        took.append(1000 * (time.process_time() - began))
        if answer is None:
            return []
    return took


def in_child(*words: str) -> Any:
    command = [sys.executable, "-m", "tests.bench.search", "--child", *words]
    return json.loads(subprocess.check_output(command, cwd=ROOT))


# The table


def measure(count: int, seconds: float, libraries: Path) -> Iterator[str]:
    """The tables for so many papers, line by line."""
    names = [name for name in ALL if there(name)]
    folders = {name: libraries / f"search-{name}-{count}" for name in names}
    building = {name: build_once(name, folders[name], count) for name in names}
    sizes = {name: _size(folders[name]) for name in names}
    opening = {
        name: [in_child("open", name, str(folders[name]), str(count)) for _ in range(3)] for name in names
    }
    asking = {name: in_child("ask", name, str(folders[name]), str(count), str(seconds)) for name in names}
    others = [name for name in ALL if name != "postil"]
    yield f"### {count:,} papers, load {os.getloadavg()[0]:.1f}"
    yield ""
    yield f"| | postil | {' | '.join(others)} | {' | '.join(f'postil / {name}' for name in others)} |"
    yield "|---" * (2 * len(others) + 2) + "|"
    for kind, told in KINDS.items():
        yield _line(told, {name: asking[name][kind] for name in names}, _pair)
    yield _line("build, CPU s", {name: [building[name]["seconds"]] for name in names}, _one)
    yield _line("size, MB", {name: [sizes[name] / 1e6] for name in names}, _one)
    yield _line("open and first query, ms", {n: [run["ms"] for run in opening[n]] for n in names}, _one)
    grown = {name: [run["after"] - run["before"] for run in opening[name]] for name in names}
    yield _line("memory added by that (PSS), MB", grown, _one)
    yield ""


def build_once(name: str, folder: Path, count: int) -> dict[str, float]:
    """As `built`, of the run that made `folder`: again only where the engine is another than it was then."""
    figure, engine = folder.with_name(f"{folder.name}.json"), engine_of(name)
    told: dict[str, Any] = json.loads(figure.read_text("utf-8")) if figure.exists() else {}
    if told.get("engine") != engine:
        figure.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        told = {"engine": engine, **in_child("build", name, str(folder), str(count))}
        figure.write_text(json.dumps(told), "utf-8")
    return told


def engine_of(name: str) -> str:
    """The version of an engine; of postil, that of each line in its room."""
    if name == "postil":
        sources = sorted(ROOT.joinpath("index", "fulltext").glob("*.py"))
        return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    if name == "FTS5":
        return sqlite3.sqlite_version
    return version({"Whoosh": "whoosh3"}.get(name, name))


def _line(what: str, columns: dict[str, list[float]], told: Callable[[Sequence[float]], str]) -> str:
    """The figures of each engine, and the ratios of the medians."""
    cells = [told(columns[name]) if name in columns else "not installed" for name in ALL]
    for name in list(ALL)[1:]:
        other = columns.get(name)
        cells.append(
            f"{statistics.median(columns['postil']) / statistics.median(other):.2f}" if other else ""
        )
    return f"| {what} | {' | '.join(cells)} |"


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _pair(times: Sequence[float]) -> str:
    if not times:
        return "none"
    ordered = sorted(times)
    return f"{statistics.median(ordered):,.2f} / {ordered[int(0.95 * (len(ordered) - 1) + 0.5)]:,.2f}"


def _one(figures: Sequence[float]) -> str:
    return f"{statistics.median(figures):,.1f}"


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, nargs="+", default=[SHIPPED, 10_000, 100_000])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each kind of query")
    parser.add_argument("--libraries", type=Path, help="where what is built is kept, and used again")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.child:
        task, name, folder, count, *rest = options.child
        tasks: dict[str, Callable[..., Any]] = {"build": built, "open": opened, "ask": asked}
        print(json.dumps(tasks[task](name, Path(folder), int(count), *map(float, rest))))
        return
    print(f"Python {sys.version.split()[0]}, CPU milliseconds, median / p95\n")
    with tempfile.TemporaryDirectory() as scratch:
        libraries = options.libraries or Path(scratch)
        libraries.mkdir(parents=True, exist_ok=True)
        for count in options.papers:
            if count > SHIPPED and not CORPORA.exists():
                print(f"### {count:,} papers: skipped, the corpora are not there\n")
                continue
            for line in measure(count, options.seconds, libraries):
                print(line, flush=True)


if __name__ == "__main__":
    main()
