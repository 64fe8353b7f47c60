"""What a word means: which words are one, which are not, and what a link names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from index.fulltext import Engine, spans
from index.fulltext.acronyms import spelled
from index.fulltext.analysis import stem
from index.papers import Paper
from index.query import And, Node, Phrase, Word

ONE = [
    # what a method does and what it is called
    ("classify", "classification"), ("verified", "verification"), ("unifying", "unification"),
    ("geometry", "geometric"), ("hierarchies", "hierarchical"), ("categorical", "category"),
    ("strategy", "strategic"), ("taxonomy", "taxonomic"), ("anomalies", "anomalous"),
    ("entropy", "entropic"), ("history", "historical"), ("discovery", "discovered"),
    ("recovery", "recover"), ("activated", "activations"), ("engineering", "engineers"),
    ("synthesis", "synthesise"), ("diagnosis", "diagnoses"), ("competence", "competent"),
    ("detect", "detectors"), ("predictor", "prediction"), ("represent", "representations"),
    ("consider", "considerations"), ("create", "creation"), ("fused", "fusion"),
    # inflections of what looks like one, and of few letters
    ("embed", "embedding"), ("embeds", "embedded"), ("add", "adding"), ("testbed", "testbeds"),
    ("lens", "lenses"), ("harness", "harnessed"), ("witness", "witnesses"), ("debias", "debiasing"),
    ("reference", "referencing"), ("imbalance", "imbalanced"), ("sacrifice", "sacrificing"),
    ("mapping", "maps"), ("using", "uses"), ("setting", "settings"), ("tries", "trying"),
    # irregular
    ("stimuli", "stimulus"), ("axes", "axis"), ("spectra", "spectrum"), ("minima", "minimum"),
    ("forgotten", "forgetting"), ("frozen", "freeze"), ("chosen", "choose"), ("written", "writing"),
    # British and American
    ("parameterised", "parametrization"), ("likeable", "likable"), ("diarrhoea", "diarrhea"),
    ("lustre", "luster"), ("percent", "%"), ("found", "find"),
    # plurals of acronyms
    ("gpus", "gpu"), ("ious", "iou"), ("llms", "llm"), ("loras", "lora"), ("saes", "sae"),
    ("pdes", "pde"), ("mris", "mri"),
    # names of parts, in singular and plural
    ("transformers", "transformer"), ("adapters", "adapter"),
]  # fmt: skip

NOT_ONE = [
    ("several", "severe"), ("united", "unit"), ("international", "internal"), ("minority", "minor"),
    ("majority", "major"), ("digital", "digit"), ("customer", "custom"), ("conversation", "conversion"),
    ("numerous", "numerical"), ("probably", "probability"), ("identical", "identity"),
    ("modulate", "module"), ("engineering", "engine"), ("subjective", "subject"), ("posit", "position"),
    ("transformer", "transformation"), ("adapter", "adaptation"), ("specify", "specific"),
    ("business", "busy"), ("politics", "polite"), ("critic", "critical"), ("organism", "organ"),
    ("terminal", "terminate"), ("affinity", "affine"), ("fabricate", "fabric"), ("quite", "quit"),
    ("apple", "apply"), ("official", "office"), ("lossy", "loss"), ("quality", "qualitative"),
    ("activation", "active"), ("witness", "wit"), ("harness", "harm"), ("illness", "ill"),
    ("animal", "animation"), ("informal", "information"), ("respectively", "respect"), ("factor", "fact"),
    ("vector", "vect"), ("actor", "act"), ("adding", "ads"), ("lens", "len"),
    ("transit", "transition"), ("intensive", "intensity"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), ONE)
def test_one_word(a: str, b: str) -> None:
    assert stem(a) == stem(b)


@pytest.mark.parametrize(("a", "b"), NOT_ONE)
def test_two_words(a: str, b: str) -> None:
    assert stem(a) != stem(b)


Found = Callable[[Node], set[str]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Found]:
    """The numbers of the abstracts below that a tree finds."""
    texts = (
        "Code is at https://github.com/xvjiarui/GCNet.",
        "See https://robot-colosseum.github.io/ for more.",
        "The page is https://weihaox.github.io/UMBRAE, the data are at huggingface.co/datasets/org/RedBox.",
        "GCNet and https://github.com/GCNet are elsewhere, as is https://example.org/a/UMBRAE.",
        "Tokens were classified and then forgotten.",
    )
    folder: Path = tmp_path_factory.mktemp("meaning") / "fulltext"
    papers = [
        Paper(id=str(at), heading="", name=None, abstract=text, sources=()) for at, text in enumerate(texts)
    ]
    Engine.build(folder, papers, stamp={})
    engine = Engine.open(folder)
    yield lambda tree: set(engine.search(tree))
    engine.close()


@pytest.mark.parametrize(
    ("name", "papers"),
    [
        ("GCNet", {"0"}), ("colosseum", {"1"}), ("umbrae", {"2"}), ("RedBox", {"2"}), ("xvjiarui", set()),
        ("example", set()), ("org", set()),
    ],
)  # fmt: skip
def test_a_link_to_code_or_to_a_project_names_the_work(found: Found, name: str, papers: set[str]) -> None:
    assert found(Word(name, "name")) == papers


@pytest.mark.parametrize(
    "some",
    [
        ("β-VAE", "beta-VAE", r"$\beta$-VAE", "𝛽-VAE"), (r"$\ell_1$", r"\ell_{1}", "ell_1", "ℓ1"),
        ("ε-greedy", "ϵ-greedy", r"$\epsilon$-greedy"), ("10×", "10x", "10X"), ("224×224", "224x224"),
        ("20%", "20 percent"),
    ],
)  # fmt: skip
def test_a_letter_is_its_name(some: Sequence[str]) -> None:
    for text in some:
        assert all(spans(text, Word(other)) for other in some), text


def test_words_of_one_stem_are_found_though_they_begin_otherwise(found: Found) -> None:
    assert found(Word("classification")) == found(Word("forgetting")) == {"4"}


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("large text-to-image (T2I) models", {("t2i", "text to image")}),
        ("the Mixture-of-Experts (MoEs) of", {("moe", "mixture of experts")}),
        ("our low-rank adaptation (LoRA) is", {("lora", "low rank adaptation")}),
        ("by test-time prompt tuning (TPT), we", {("tpt", "test time prompt tuning")}),
        ("self-supervised learning (SSL)", {("ssl", "self supervised learning")}),
        ("functional Magnetic Resonance Imaging (fMRI)", {("fmri", "functional magnetic resonance imaging")}),
        ("it falls to half (NLP) there", set()), ("a model (see below)", set()), ("(LLM)", set()),
    ],
)  # fmt: skip
def test_acronyms_that_a_text_spells_out(text: str, pairs: set[tuple[str, str]]) -> None:
    assert set(spelled(text)) == pairs


SPELLED = (
    "Large text-to-image (T2I) models draw.",
    "T2I models are large.",
    "A text to image model draws.",
    "Text stands beside an image.",
    "Slot attention (SA) and more.", "Shared attention (SA) and more.", "Sparse attention (SA) and more.",
    "SA alone.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("tree", "papers"),
    [
        (Word("T2I"), {0, 1, 2}), (Word("text-to-image"), {0, 1, 2}), (Phrase("text to image"), {0, 2}),
        (And((Word("text"), Word("to"), Word("image"), Word("large"))), {0, 1}),
        (And((Word("T2I"), Word("draws"))), {0, 2}), (Word("SA"), {4, 5, 6, 7}),
        (Word("T2I", "author"), set()),
    ],
)  # fmt: skip
def test_an_acronym_is_what_most_papers_say_it_stands_for(
    tmp_path: Path, tree: Node, papers: set[int]
) -> None:
    Engine.build(
        tmp_path / "fulltext",
        [Paper(str(at), "", None, text, ()) for at, text in enumerate(SPELLED)],
        stamp={},
    )
    engine = Engine.open(tmp_path / "fulltext")
    assert set(map(int, engine.search(tree))) == papers
    others = {"T2I": "text to image", "text-to-image": "t2i"}
    if isinstance(tree, Word) and tree.field is None:
        assert dict(engine.told(tree)) == {text: long for text, long in others.items() if text == tree.text}
    marked = {at for at, text in enumerate(SPELLED) if spans(text, engine.widened(tree))}
    assert papers <= marked
    engine.close()
