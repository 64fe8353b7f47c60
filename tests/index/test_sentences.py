"""Where the sentences of an abstract end."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.sentences import sentences

LISTS = Path(__file__).parents[2].parent / "shared" / "seeds"


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Models (e.g., RNNs, Perceivers, etc.), and others, fared better.",
        "We follow Wang et al. (2022) and Vaswani et al. in part, cf. Smith.",
        "As Fig. 3 and Eq. (2) show, A vs. B is i.e. nothing, see Sec. A.",
        "It was shown (Fig. 1.) and then again.",
        "J. R. Smith of the U.S. National Lab. agreed on i.i.d. Gaussian data.",
        "The gain is 3.5 points with v2.0 of foo.bar at https://a.org/x.y?z=1 again.",
        "Our ZipIt! doubles the score on Yahoo! Answers and Jeopardy! questions.",
        "On this task and 1.) show that it is reused, 2.) that it is not.",
        "1. Introduction of the method",
        "We list No. 5 and pp. 7 of Vol. 2 here.",
        "Hard-wrapped\ntext is\none sentence.",
        "They took steps... and stopped.",
        "It helps RNNs, GRUs etc. LSTM cells are not tried.",
        "",
    ],
)
def test_one_sentence(text: str) -> None:
    assert split(text) == ([text] if text else [])


@pytest.mark.parametrize(
    "pieces",
    [
        ["It failed on dogs, cats, etc.", "We mend it."],
        ["It failed on dogs, cats, etc.", "Different filters help."],
        ["Is it so?", "No!", "It works."],
        ["He asked “Which one?”", "In this paper, we answer."],
        ['The "ghosting effect."', "It uses more (see the code.)", "(We omit it.)", "[1] is old."],
        ["This is on GitHub.", "gCOG is a benchmark.", "$k$-NN is not.", "3D is next."],
        ["It was done by Smith et al.", "However, we go on."],
        ["The latency is 10 ms.", "The motor has CP.", "The end is vitamin C.", "We stop."],
        ["We find two things.", "(i) It works.", "(ii) It is fast."],
        ["All of it is open.", "code is at https://a.org/code.", "https://a.org/c"],
    ],
)
def test_several_sentences(pieces: list[str]) -> None:
    assert split(" ".join(pieces)) == pieces
    assert split("\n".join(pieces)) == pieces


def test_blank_lines_and_other_scripts() -> None:
    assert split("A title\n \nA paragraph e.g.\n\n\nAnother.") == ["A title", "A paragraph e.g.", "Another."]
    assert split("これは文です。次の文です！终わり") == ["これは文です。", "次の文です！", "终わり"]


def test_sentences_that_lost_their_space() -> None:
    assert split("We explain the exceptions.This behaviour is poor.") == [
        "We explain the exceptions.",
        "This behaviour is poor.",
    ]
    assert len(sentences("We use Node.This and http://a.b/The.In and e.g.The name.")) == 1


@given(st.text(alphabet=st.sampled_from(list(" \n\t.!?…。)(\"'’$aAeEgG1,:/-\u3042\U0001f600")), max_size=80))
def test_spans_cover_everything_but_space(text: str) -> None:
    last = 0
    for start, end in sentences(text):
        assert last <= start < end <= len(text)
        assert not text[last:start].strip()
        assert text[start:end] == text[start:end].strip()
        last = end
    assert not text[last:].strip()


@given(st.text())
def test_any_text(text: str) -> None:
    spans = sentences(text)
    joined = "".join(text[start:end] for start, end in spans)
    assert "".join(joined.split()) == "".join(text.split())


@pytest.mark.parametrize("piece", ["word ", "e.g. ", "1. ", ". ", "?!)", "\n ", "a.", "x"])
def test_a_long_text_is_one_pass(piece: str) -> None:
    # Work that grew with the square of the length would take minutes here.
    text = piece * (200_000 // len(piece))
    assert all(start < end for start, end in sentences(text))


@pytest.mark.skipif(not LISTS.exists(), reason="the lists are not here")
@pytest.mark.parametrize(
    ("word", "number", "begins", "ends"),
    [
        ("(gCOG)", 4, "We found that across model architectures (e.g., RNNs,", "etc.), models"),
        ("THE COLOSSEUM, a", 3, "We present THE COLOSSEUM, a novel", "environmental perturbations."),
    ],
)
def test_of_the_lists(word: str, number: int, begins: str, ends: str) -> None:
    lists = "\n\n".join(path.read_text("utf-8") for path in sorted(LISTS.glob("000*.txt")))
    abstract = next(text for text in lists.split("\n\n") if word in text)
    sentence = split(abstract)[number - 1]
    assert sentence.startswith(begins)
    assert ends in sentence
    assert sentence.endswith(".")
