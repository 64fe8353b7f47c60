"""What is taken along: copies and exports."""

from __future__ import annotations

from tui.actions import Actions


class Taking(Actions):
    """Copies go through the clipboard, and it is said which way."""

    def copy_citation(self, _count: int | None) -> None:
        self._copy("citation", "\n".join(self.desk.citation(id) for id in self.targets(None)))

    def copy_title(self, _count: int | None) -> None:
        self._copy("heading", "\n".join(self.library.row(id).heading for id in self.targets(None)))

    def copy_abstract(self, _count: int | None) -> None:
        texts = [self.library.entry(id).paper.abstract for id in self.targets(None)]
        self._copy("abstract", "\n\n".join(texts))

    def copy_highlights(self, _count: int | None) -> None:
        self._copy("highlights", "\n\n".join(filter(None, map(self.desk.quotes, self.targets(None)))))

    def copy_markdown(self, _count: int | None) -> None:
        papers = self.targets(None)
        self._copy("Markdown", self.desk.markdown(papers) if papers else "")

    def copy_selection(self, _count: int | None) -> None:
        selected = self.reading.text.selection()
        if self.current and selected:
            start, end = selected
            self._copy("selection", self.library.entry(self.current).paper.abstract[start:end])
            self.reading.text.cancel_selection()
            self.reading.tell_keys()

    def _copy(self, what: str, text: str) -> None:
        if text:
            self.reading.copy(what, text)
        else:
            self.reading.say(f"no {what} to copy")

    def export(self, _count: int | None) -> None:
        from tui.screens.export import Export

        papers = self.desk.targets(None) if self.desk.marked else list(self.desk.whole)
        asked = "" if self.desk.shared else self.reading.asked
        self.reading.open_dialog(Export(self.library, papers, asked), lambda line: self.reading.say(line))
