"""The door of full-text search: what finds what, what comes first, damage, rebuilding, threads."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from index.fulltext import Engine, UnusableError, commits
from index.papers import Paper
from index.query import And, Everything, Fuzzy, Ids, Node, Not, Or, Phrase, Prefix, Range, Regex, State, Word
from tests.index.test_fulltext_oracle import seed_papers

Ask = Callable[..., list[str]]


def paper(id: str, abstract: str, **fields: Any) -> Paper:
    defaults: dict[str, Any] = {"heading": "", "name": None, "sources": ()}
    return Paper(id=id, abstract=abstract, **{**defaults, **fields})


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    """A function that indexes papers, given whole or as texts, and gives what a tree finds, best first."""
    opened: list[Engine] = []

    def run(tree: Node, *texts: str | Paper) -> list[str]:
        folder = tmp_path / str(len(opened))
        papers = [text if isinstance(text, Paper) else paper(f"p{at}", text) for at, text in enumerate(texts)]
        Engine.build(folder, papers, stamp={})
        opened.append(Engine.open(folder))
        scores = opened[-1].search(tree)
        return sorted(scores, key=scores.__getitem__, reverse=True)

    yield run
    for engine in opened:
        engine.close()


MEANT = [
    # case, accents, inflections
    ("grok", "Grokking is delayed generalization"), ("Universität", "the UNIVERSITAT of"),
    ("robots", "robotic arms"), ("customize", "customization of models"), ("forgetting", "it forgets"),
    ("use", "using"), ("tries", "we try"), ("die", "dying"),
    ("Erdős", "Erdos numbers"),
    # British and American
    ("generalisation", "length generalization"), ("generalize", "they generalised"),
    ("behavior", "behavioural cues"), ("modelling", "modeling"), ("labeled", "labelled data"),
    ("center", "the centre of"), ("colour", "Colored Objects"), ("catalogue", "a catalog"),
    ("pediatric", "paediatric care"), ("oestrogen", "estrogen"), ("grey", "gray scale"),
    ("defence", "a defense"), ("analyse", "analyzing"), ("artefacts", "artifacts"),
    ("judgement", "judgments"), ("tumor", "tumours"), ("metre", "ten meters"),
    # hyphenated, joined, split
    ("multitask", "multi-task learning"), ("multi-task", "multitask"), ("multitask", "multi task"),
    ("pretraining", "pre-trained models"), ("pre-training", "pretraining"),
    ("text-to-image", "text to image"), ("gpt4", "GPT-4"), ("GPT-4", "GPT4"), ("kmeans", "k-means"),
    ("t-SNE", "tSNE"), ("e-mail", "email"),
    # acronyms and their plurals
    ("LLM", "LLMs"), ("llms", "an LLM"), ("MoE", "MoEs"), ("SAE", "RA-SAEs"), ("VLMs", "the VLM's"),
    # names as typed
    ("ZipIt!", "we call it ZipIt!"), ("Yo'LLaVA", "with Yo’LLaVA, we"), ("YoLLaVA", "Yo'LLaVA"),
    ("VLM^2-Bench", "VLM$^2$-Bench"), ("VLM2-Bench", "VLM^2-Bench"), ("vlm2bench", "VLM²-Bench"),
    ("SAM2.1++", "SAM2.1++ is"), ("MindEye2", "MindEye2."), ("Attend-and-Excite", "Attend-and-Excite"),
    ("C++", "in C++."),
    # numbers
    ("92.5%", "92.5\\% of"), ("75%", "degrade geq75%"), ("1000", "1,000 tasks"), ("3,820", "3820"),
    ("90%", "90 % of"),
    # addresses
    ("github.com/JiahuaDong/HFC", "at https://github.com/JiahuaDong/HFC."),
    ("JiahuaDong/HFC", "github.com/JiahuaDong/HFC"),
    ("https://github.com/a/b", "https://github.com/a/b/"),
    # LaTeX
    ("word", "\\emph{word}"), ("Nosé", "Nos\\'e"), ("Schrödinger", "Schr{\\\"o}dinger"),
    ("norm", "the $\\ell_q$-norm"), ("retrieval", "\\textsc{r}etrieval"), ("Bayesian", "{B}ayesian"),
    ("slot", "{\\em slot} attention"),
    # possessives, ligatures, scripts without spaces
    ("model", "the model’s"), ("efficient", "e\ufb03cient"), ("学习", "深度学习"),
    ("cooperate", "co\u00adoperate"),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "text"), MEANT)
def test_what_is_meant_is_found(ask: Ask, typed: str, text: str) -> None:
    assert ask(Word(typed), "nothing of the kind", text) == ["p1"]


STRAYS = [
    ("general", "generalization"), ("92.5%", "92.5 points"), ("90%", "190% and 0.90%"), ("7", "93.7"),
    ("island", "this is land"), ("experiments", "our experience"), ("CLIP", "eclipse"),
    ("SAM2.1++", "SAM2.1"), ("calling", "ceiling"), ("hour", "horn"), ("three", "tree"),
    ("Attend-and-Excite", "attend to and then excite"), ("github.com/a/b", "github.com/a/c"),
    ("!!!", "!!!"),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "text"), STRAYS)
def test_what_is_not_meant_is_not_found(ask: Ask, typed: str, text: str) -> None:
    assert ask(Word(typed), text) == []


FIELDS = paper(
    "abc123", "It uses https://github.com/JiahuaDong/HFC today.",
    title="Slot Attention Revisited", heading="Slot Attention Revisited", name="HFC",
    authors=("José Nosé", "Ada King"), venue="NeurIPS", year=2021, date="2021-06",
    identifiers={"doi": ("10.1000/XYZ",), "arxiv": ("2106.00001",)},
    keywords=("multi-task",), extra={"categories": ["cs.CL", "stat.ML"]},
)  # fmt: skip


@pytest.mark.parametrize(
    ("tree", "found"),
    [
        (Word("attention", "title"), True), (Word("uses", "title"), False),
        (Word("slot", "abstract"), False), (Word("nose", "author"), True),
        (Phrase("ada king", "author"), True), (Phrase("nosé ada", "author"), False),
        (Word("hfc", "name"), True), (Prefix("neur", "venue"), True), (Word("cs.CL", "cat"), True),
        (Word("multitask", "cat"), True), (Word("abc", "id"), True), (Word("bc123", "id"), False),
        (Word("https://doi.org/10.1000/xyz", "id"), True), (Word("arXiv:2106.00001", "id"), True),
        (Word("2106.00001v3", "id"), True),
        (Word("github.com/jiahuadong", "link"), True), (Word("HFC", "link"), True),
        (Word("gitlab", "link"), False), (Word("link", "has"), True), (Word("code", "has"), True),
        (Word("title", "has"), True), (Word("note", "has"), False), (Range("year", 2020, 2022), True),
        (Range("year", None, 2020), False), (Range("year", 2021, None), True),
        (Range("date", "2021-06-15", None), True), (Range("date", "2021-07-01", None), False),
        (Range("date", None, "2021-05-31"), False), (Word("king"), True), (Word("neurips"), True),
        (Word("2106.00001"), False), (State("tag", "moe"), False), (Regex("title", "slot"), False),
        (Range("rating", 1, 5), False), (Ids(frozenset()), False),
        (Ids(frozenset({"abc123", "gone"})), True), (And(()), True), (Or(()), False),
        (Or((Ids(frozenset({"abc123"})), Word("zzz"))), True), (And((Word("the"), Word("uses"))), True),
        (And((Word("&"), Word("uses"))), True), (And((Word("the"), Word("of"))), False),
        (Fuzzy("atention"), True), (Fuzzy("atentin"), False), (Not(Word("uses")), False),
        (Prefix("rev"), True), (Prefix("r"), True), (Prefix("x"), False), (Prefix("slot-a"), True),
        (Prefix("slotatt"), True), (Phrase("slot attention rev", open=True), True),
        (Prefix("https://github.com/Jia"), True),
    ],
)  # fmt: skip
def test_a_field_finds_what_it_holds(ask: Ask, tree: Node, found: bool) -> None:
    assert ask(tree, FIELDS) == (["abc123"] if found else [])


def test_words_apart_find_the_joined_word(ask: Ask) -> None:
    tree = And((Word("multi"), Word("task"), Word("learning")))
    assert ask(tree, "multitask learning", "multi-task learning", "multi learning") == ["p1", "p0"]


def test_words_noted_by_the_reader_are_still_words(ask: Ask) -> None:
    """The library joins the ids of papers with such a note to each word."""
    noted = Ids(frozenset({"p2"}))
    tree = And((Or((Word("the"), noted)), Or((Word("multi"), noted)), Or((Word("task"), noted))))
    assert set(ask(tree, "multitask", "multi", "none")) == {"p0", "p2"}


@pytest.mark.parametrize(
    ("tree", "texts"),
    [
        (
            And((Word("slot"), Word("attention"))),
            ("we slot it where attention is", "we use slot attention here"),
        ),
        (And((Word("slot"), Prefix("att"))), ("we slot it where attention is", "we use slot attention here")),
        (Word("grokking"), ("they grok it while", "grokking of it while")),
        (
            And((Word("mixture"), Word("of"), Prefix("exp"))),
            ("mixture for experts of", "such a mixture of experts"),
        ),
        (Word("gaze"), ("gaze once and much else", "gaze and gaze and gaze, else")),
        (Word("gaze"), (paper("p0", "gaze gaze"), paper("p1", "no", heading="Gaze"))),
        (Word("hfc"), (paper("p0", "HFC HFC"), paper("p1", "no", name="HFC"))),
        (Or((Word("rare"), Word("common"))), ("a common word", "a rare word", "common again")),
    ],
)
def test_the_better_match_comes_first(ask: Ask, tree: Node, texts: tuple[str | Paper, ...]) -> None:
    assert ask(tree, *texts)[0] == "p1"


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seeds") / "fulltext"
    Engine.build(folder, seed_papers(), stamp={"papers": 393})
    return folder


@pytest.fixture(scope="module")
def engine(seeds: Path) -> Iterator[Engine]:
    opened = Engine.open(seeds)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("halucination", "hallucination"), ("coloseum", "colosseum"), ("groking", "grokking"),
        ("trasnformer", "transformer"), ("hallucination", None), ("qqqqzzzz", None), ("xq", None),
        ("multi-tsak", "multi-task"), ("", None),
    ],
)  # fmt: skip
def test_did_you_mean(engine: Engine, typed: str, meant: str | None) -> None:
    found = engine.suggest(typed)
    assert (found and found.removesuffix("s")) == meant


def test_most_of_the_words(engine: Engine) -> None:
    words: list[Node] = [Word("grokking"), Word("transformers"), Word("zzzz")]
    hits = engine.partial(words, 50)
    assert {hit.id for hit in hits} == engine.search(And(tuple(words[:2]))).keys()
    assert {hit.found for hit in hits} == {2}
    hits = engine.partial([*words, Word("generalization")], 5)
    assert len(hits) == 5
    assert [hit.found for hit in hits] == sorted((hit.found for hit in hits), reverse=True)
    assert engine.partial(words[:1], 5) == []


def test_related_papers_share_what_they_say_they_share(engine: Engine) -> None:
    texts = {paper.id: paper.abstract.casefold() for paper in seed_papers()}
    this, *_ = engine.search(Word("grokking"))
    found = engine.related(this, 8)
    assert len(found) == 8 and this not in {one.id for one in found}
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert "grokking" in texts[found[0].id]
    assert all(one.terms and 0 < one.score <= 1 for one in found)
    assert engine.related("gone") == []


def test_shared_terms_tell_what_both_papers_are_about(tmp_path: Path) -> None:
    papers = [
        paper("a", "We trade off 95% of slot attention, etc, in extensive experiments, out of multi r t 17"),
        paper("b", "Slot attention, etc, in extensive experiments: a trade off, 95% out of multi r t 17"),
        paper("c", "Some extensive experiments"),
        paper("d", "Whales sing"),
    ]
    Engine.build(tmp_path / "i", papers, stamp={})
    engine = Engine.open(tmp_path / "i")
    near = {one.id: one.terms for one in engine.related("a")}
    assert near["b"] == ("slot attention",)
    assert near["c"] == ("extensive experiments",)  # nothing better is there
    engine.close()


def test_texts_beyond_measure_are_answered(engine: Engine) -> None:
    for text in ("a" * 100_000, "\ud800", "\x00", "-" * 5000, "a-" * 3000, "*", "ﷺ" * 50, "\\" * 2000):
        for leaf in (
            Word(text),
            Prefix(text),
            Phrase(text),
            Fuzzy(text),
            Word(text, "link"),
            Word(text, "id"),
        ):
            engine.search(leaf)
        engine.suggest(text)


def test_two_threads_get_right_answers(seeds: Path, engine: Engine) -> None:
    words = sorted(set(seed_papers()[0].abstract.split()))[:60]
    trees: list[Node] = [leaf for word in words for leaf in (Word(word), Prefix(word[:2]))]
    alone = [engine.search(tree) for tree in trees]
    shared = Engine.open(seeds)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(shared.search, trees))
    finally:
        sys.setswitchinterval(interval)
        shared.close()
    assert together == alone


def test_an_index_of_nothing(tmp_path: Path) -> None:
    Engine.build(tmp_path / "i", [], stamp={})
    engine = Engine.open(tmp_path / "i")
    assert engine.search(Or((Word("a"), Everything(), Not(Prefix("b"))))) == {}
    assert (
        engine.suggest("word") is None and engine.related("a") == [] and engine.partial([Word("a")], 3) == []
    )
    engine.update([paper("a", "one word")], stamp={"n": 1})
    assert engine.search(Word("word")).keys() == {"a"}
    engine.close()


def test_updates_replace_by_id_and_keep_the_stamp(tmp_path: Path) -> None:
    Engine.build(tmp_path / "i", [paper("a", "old"), paper("b", "other")], stamp={"n": 1})
    engine = Engine.open(tmp_path / "i")
    assert engine.stamp == {"n": 1}
    engine.update([paper("a", "new"), paper("c", "new"), paper("c", "newest")], stamp={"n": 2})
    assert engine.search(Word("old")) == {}
    assert engine.search(Prefix("new")).keys() == {"a", "c"}
    engine.remove(["b", "gone"], stamp={"n": 3})
    assert engine.search(Or((Word("other"), Prefix("oth"), Prefix("o"), Ids(frozenset({"b"}))))) == {}
    engine.close()
    again = Engine.open(tmp_path / "i")
    assert again.stamp == {"n": 3}
    assert again.search(Everything()).keys() == {"a", "c"}
    again.close()


def test_an_engine_answers_from_what_it_opened_while_another_writes(tmp_path: Path) -> None:
    papers = [paper(f"p{at}", f"word {at} of one", year=2000 + at, date="2020") for at in range(30)]
    Engine.build(tmp_path / "i", papers[:10], stamp={})
    reading, writing = Engine.open(tmp_path / "i"), Engine.open(tmp_path / "i")
    writing.update(papers, stamp={})
    writing.remove(["p1"], stamp={})
    Engine.build(tmp_path / "i", papers[:2], stamp={})
    assert (
        len(reading.search(And((Word("word"), Range("year", 2005, None), Range("date", "2020", None))))) == 5
    )
    assert len(reading.related("p2", 20)) == 9
    assert reading.related("p29") == []
    reading.close()
    writing.close()


def test_an_interrupted_build_leaves_the_old(tmp_path: Path) -> None:
    folder = tmp_path / "i"
    Engine.build(folder, [paper("a", "old")], stamp={"n": 1})

    def broken() -> Iterator[Paper]:
        yield paper("b", "new")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Engine.build(folder, broken(), stamp={"n": 2})
    assert [path.name for path in tmp_path.iterdir()] == ["i"]
    engine = Engine.open(folder)
    assert engine.stamp == {"n": 1} and len(engine.search(Word("old"))) == 1
    engine.close()


def test_a_build_clears_what_a_killed_one_left(tmp_path: Path) -> None:
    (tmp_path / ".i-dead").mkdir()
    told: list[int] = []
    Engine.build(tmp_path / "i", [paper("a", "x"), paper("b", "y")], stamp={}, progress=told.append)
    assert [path.name for path in tmp_path.iterdir()] == ["i"]
    assert told == [1, 2]


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _scribble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x55
    path.write_bytes(data)


@pytest.mark.parametrize("harm", [_cut, _scribble, Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_damaged_index_is_unusable(seeds: Path, tmp_path: Path, harm: Callable[[Path], None]) -> None:
    names = [path.name for path in seeds.iterdir() if path.suffix != ".lock" and "LOCK" not in path.name]
    assert len(names) >= 3
    for name in names:
        broken = tmp_path / name
        shutil.copytree(seeds, broken)
        harm(broken / name)
        with pytest.raises(UnusableError) as caught:
            Engine.open(broken)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", "null", '{"schema": 0}', '{"schema": 1, "whoosh": "2.7.4"}', "\x00"]
)
def test_an_index_of_another_version_is_unusable(seeds: Path, tmp_path: Path, content: str) -> None:
    shutil.copytree(seeds, tmp_path / "i")
    (tmp_path / "i" / "stamp.json").write_text(content)
    with pytest.raises(UnusableError):
        Engine.open(tmp_path / "i")


def test_what_is_no_index_is_unusable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for name in ("none", "file", "empty"):
        with pytest.raises(UnusableError):
            Engine.open(tmp_path / name)


def test_a_paper_keeps_its_place_when_it_is_replaced_by_itself(engine: Engine, tmp_path: Path) -> None:
    papers = seed_papers()[:20]
    Engine.build(tmp_path / "i", papers, stamp={})
    copy = Engine.open(tmp_path / "i")
    before = copy.search(Word("model"))
    copy.update([replace(papers[3])], stamp={})
    assert copy.search(Word("model")) == pytest.approx(before)
    copy.close()


def test_small_additions_are_merged_and_never_have_a_large_segment_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "_LARGE", 6)
    papers, folder = seed_papers()[:150], tmp_path / "fulltext"
    Engine.build(folder, papers[:6], stamp={})
    engine = Engine.open(folder)
    for at in range(6, 120, 6):
        engine.update(papers[at : at + 6], stamp={}, merge=False)
    large = {path.name for path in folder.iterdir() if path.suffix == ".trm"}
    assert len(large) == 20
    for at in range(120, 150):
        engine.update(papers[at : at + 1], stamp={})
    after = {path.name for path in folder.iterdir() if path.suffix == ".trm"}
    assert large < after
    assert len(after - large) < 10, "the small ones have become fewer"
    assert len(engine.search(Not(Word("zyzzyva")))) == 150
    engine.close()
