"""Which records are one paper and which are not, as files of every kind tell it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import pytest

from index.library import Library

LONG = "We study how much of a text has to be alike before two records of it are one paper. " * 4
SICI = "10.1002/(SICI)1097-4571(199806)49:8<{}>3.0.CO;2-{}"


def bib(*entries: str) -> str:
    return "\n".join(f"@article{{k{number}, {entry}}}" for number, entry in enumerate(entries))


def ris(*records: str) -> str:
    return "\n".join(f"TY  - CONF\n{record}\nER  - \n" for record in records)


APART = {
    "a year in a RIS field of many uses": [
        ("a.ris", ris("TI  - Trees\nC2  - 2019", "TI  - Lakes\nC2  - 2019", "TI  - Ponds\nC2  - 12 pages"))
    ],
    "DOIs with brackets of their own": [
        ("a.bib", bib(
            f"title={{A}}, doi={{{SICI.format('693::AID-ASI4', 'O')}}}",
            f"title={{B}}, doi={{{SICI.format('702::AID-ASI5', '1')}}}",
            f"title={{C}}, doi={{{escape(SICI.format('711::AID-ASI6', '2'))}}}",
            "title={D}, doi={10.1002/(SICI)1097{\\textless}720::AID-ASI7{\\textgreater}3.0.CO;2-3}",
        ))
    ],
    "a remark on another paper": [
        ("a.bib", bib(
            "title={A}, eprint={1801.01290}",
            "title={B}, doi={10.5555/x.2}, note={Comment on arXiv:1801.01290}",
            "title={C}, note={This extends arXiv:1801.01290}", "title={D}, doi={10.1000/orig.1}",
        )),
        ("b.ris", ris("TI  - E\nN1  - Comment on: Smith J. Trees. doi:10.1000/orig.1")),
    ],
    "another volume, and signs in a title": [
        ("a.bib", bib(
            "title={Editorial}, journal={Nature}, year=2005, volume=433, pages={1}",
            "title={Editorial}, journal={Nature}, year=2005, volume=435, pages={713}",
            "title={Introduction to C}, year=2001", "title={Introduction to C++}, year=2001",
        ))
    ],
    "one notice for two papers": [
        ("a.bib", bib(
            f"title={{Withdrawn: trees}}, doi={{10.1000/a}}, abstract={{{LONG}}}",
            f"title={{Withdrawn: lakes}}, doi={{10.1000/b}}, abstract={{{LONG}}}",
        ))
    ],
    "another paper's page in a list": [
        ("a.json", '[{"paper_url": "https://huggingface.co/papers/2602.09185", "title": "A", "summary": "S.",'
                   ' "details": {"arxiv_page_url": "https://arxiv.org/abs/2507.15003"}}]'),
        ("b.bib", bib("title={B}, eprint={2507.15003}")),
    ],
}  # fmt: skip
ONE = {
    "arXiv's own DOI": [
        ("a.bib", bib("title={A}, eprint={2301.00001}")),
        ("b.ris", ris("TI  - A\nDO  - 10.48550/arXiv.2301.00001")),
        ("c.csv", "title,doi\nA,10.48550/arXiv.2301.00001\n"),
        ("d.json", '[{"type": "article", "title": "A", "publisher": "arXiv",'
                   ' "URL": "http://arxiv.org/abs/2301.00001"}]'),
        ("e.csv", "id,title,abstract\n2301.00001,A,S\n"),
    ],
    "a DOI in the address of a page": [
        ("a.bib", bib("title={A}, doi={10.3389/f.2019.1}", "title={A}, url={https://x.org/10.3389/f.2019.1/full}"))
    ],
    "a remark that is the identifier": [
        ("a.bib", bib(
            "title={A}, eprint={1801.01290}", "title={A}, note={arXiv preprint arXiv:1801.01290 [cs.LG]}",
            "title={A}, note={To appear in ICML. Available at https://arxiv.org/abs/1801.01290}",
        ))
    ],
    "a preprint and what became of it": [
        ("a.bib", bib(
            f"title={{The title}}, doi={{10.1101/1234}}, abstract={{{LONG}}}",
            f"title={{The Title}}, doi={{10.1000/b}}, abstract={{{LONG}}}",
        )),
        ("b.txt", f"Daily Papers\n\n{LONG}\n"),
    ],
}  # fmt: skip


def imported(folder: Path, lists: Sequence[tuple[str, str]]) -> Library:
    paths = [folder / name for name, _ in lists]
    for path, (_, text) in zip(paths, lists, strict=True):
        path.write_text(text, "utf-8")
    library = Library(folder / "library", fill=False)
    reports = library.add(map(str, paths))
    assert not any(report.error or report.skipped for report in reports), reports
    return library


@pytest.mark.parametrize("name", APART)
def test_different_papers_stay_apart(tmp_path: Path, name: str) -> None:
    library = imported(tmp_path, APART[name])
    marks = ("title={", "TI  - ", '"title"')
    records = sum(text.count(mark) for _, text in APART[name] for mark in marks)
    assert len(library.ids) == records
    again = library.add(str(tmp_path / file) for file, _ in APART[name])
    assert sum(report.unchanged for report in again) == records, "a second import changes nothing"


@pytest.mark.parametrize("name", ONE)
def test_one_paper_is_one_in_any_order(tmp_path: Path, name: str) -> None:
    for number, lists in enumerate((ONE[name], ONE[name][::-1])):
        (tmp_path / str(number)).mkdir()
        library = imported(tmp_path / str(number), lists)
        assert len(library.ids) == 1


def test_records_of_a_removed_paper_are_counted(tmp_path: Path) -> None:
    library = imported(tmp_path, [("a.bib", bib("title={A}", "title={B}"))])
    step = library.remove(library.ids[:1])
    assert step
    library.commit(step)
    (report,) = library.add([str(tmp_path / "a.bib")])
    assert (report.unchanged, report.removed) == (2, 1)
