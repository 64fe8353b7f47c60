"""What is taken along or brought in: copies, links, exports, imports, and commands that text is piped to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from index.clean import drawable
from index.library import LibraryError
from tui.actions import Actions
from tui.links import browse, first_words, links
from tui.messages import Told
from tui.piping import Pipe, Piped, words


class Taking(Actions):
    """Copies go through the clipboard, and it is said which way; what takes time is done in a thread."""

    def copy_citation(self, _count: int | None) -> None:
        self._copy("citation", lambda ids: "\n".join(map(self.desk.citation, ids)))

    def copy_title(self, _count: int | None) -> None:
        self._copy("heading", lambda ids: "\n".join(self.library.row(id).heading for id in ids))

    def copy_abstract(self, _count: int | None) -> None:
        self._copy("abstract", lambda ids: "\n\n".join(self.library.entry(id).paper.abstract for id in ids))

    def copy_highlights(self, _count: int | None) -> None:
        self._copy("highlights", lambda ids: "\n\n".join(filter(None, map(self.desk.quotes, ids))))

    def copy_link(self, _count: int | None) -> None:
        self._copy(
            "link",
            lambda ids: "\n".join(link for id in ids for link in links(self.library.entry(id).paper)[:1]),
        )

    def copy_bibtex(self, _count: int | None) -> None:
        self._copy("BibTeX", lambda ids: self.desk.exported(ids, "bibtex") if ids else b"")

    def copy_markdown(self, _count: int | None) -> None:
        self._copy("Markdown", lambda ids: self.desk.exported(ids, "markdown") if ids else b"")

    def copy_selection(self, _count: int | None) -> None:
        selected = self.reading.text.selection()
        if self.current and selected:
            start, end = selected
            self._put("selection", self.library.entry(self.current).paper.abstract[start:end])
            self.reading.text.cancel_selection()

    def _copy(self, what: str, text_of: Callable[[Sequence[str]], str | bytes]) -> None:
        papers = self.targets(None)
        self.reading.apart(lambda: text_of(papers), lambda text: self._put(what, text))

    def _put(self, what: str, text: str | bytes) -> None:
        if text:
            self.reading.copy(what, text)
        else:
            self.reading.say(f"no {what} to copy")

    # Links

    def open_link(self, _count: int | None) -> None:
        from tui.screens.picker import Pick, Picker

        if self.current is None:
            return
        paper = self.library.entry(self.current).paper
        found = links(paper)
        if len(found) > 1:
            self.reading.open_dialog(Picker("Open a link", [Pick(link) for link in found]), self._browse)
        elif found:
            self._browse(found[0])
        else:
            self._put("no link; the first words, for a search engine", first_words(paper.abstract))

    def _browse(self, link: str) -> None:
        def done(opened: bool) -> None:
            if opened:
                self.reading.say(f"asked the browser for {link}")
            else:
                self.reading.copy(f"no browser here: {link}", link)

        self.reading.apart(lambda: browse(link), done)

    # Other programs

    def pipe(self, _count: int | None) -> None:
        papers = self.targets(None)
        about = "a program and its words, no shell: no > | *; it gets the papers as Markdown"
        self.reading.ask("Pipe to", "", about, lambda line: self._pipe(line, papers))

    def _pipe(self, line: str, papers: Sequence[str]) -> None:
        """Run a command on the text of papers, and show what it says. Raises ValueError."""
        command = words(line)
        pipe = Pipe(command)
        self.reading.pipes.append(pipe)
        self.reading.say(f"{command[0]}…")

        def done(piped: Piped) -> None:
            from tui.screens.output import Output

            self.reading.pipes.remove(pipe)
            lines = piped.said.splitlines()
            told = f"{command[0]}: {piped.trouble}" if piped.trouble else command[0]
            if len(lines) > 1:
                self.reading.open_dialog(Output(told, lines), lambda _none: None)
            else:
                self.reading.say(
                    f"{told}: {lines[0]}" if lines else told if piped.trouble else f"{told}: done"
                )

        self.reading.apart(lambda: pipe.run(self.desk.exported(papers, "markdown") if papers else b""), done)

    # Lists out

    def export(self, _count: int | None) -> None:
        from tui.screens.export import Export

        try:
            papers, asked = self._exported()
        except ValueError as error:
            self.reading.say(str(error))
            return

        def done(written: tuple[str, str, str]) -> None:
            line, format, path = written
            self._remember(papers, asked, format, path)
            self.reading.say(line)

        self.reading.open_dialog(Export(self.library, papers, asked), done)

    def _exported(self) -> tuple[list[str], str]:
        """The papers that are to be exported, and the query that found them. Raises ValueError."""
        chosen = self.chosen()
        if chosen is None and (why := self.desk.half_understood):
            raise ValueError(f"not exported, for the query was not wholly understood: {why}")
        papers = chosen if chosen is not None else list(self.desk.whole)
        if not papers:
            none = "has all the words" if self.desk.partial else "is listed"
            raise ValueError(f"nothing to export: no paper {none}")
        return papers, "" if self.reading.recalling else self.reading.asked

    def _remember(self, papers: Sequence[str], asked: str, format: str, path: str) -> None:
        whole = len(papers) == len(self.desk.whole) and not self.reading.recalling
        self.library.state["export"] = {
            "query": asked, "sort": self.reading.sorted_by, "format": format, "path": path,
            "papers": None if whole else list(papers),
        }  # fmt: skip

    def export_again(self, _count: int | None) -> None:
        match self.library.state.get("export"):
            case {
                "query": str(query),
                "sort": sort,
                "format": str(format),
                "path": str(path),
                "papers": papers,
            }:
                pass
            case _:
                self.reading.say("nothing was exported yet; x exports")
                return

        def write() -> str:
            from tui.screens.export import written

            ids = papers
            if ids is None and not query.strip() and sort is None:
                ids = self.library.ids
            elif ids is None:
                ids = self.library.find(query, sort=sort).ids
            try:
                return written(self.library, [id for id in ids if id in known], query, format, Path(path))
            except LibraryError as error:
                raise LibraryError(f"x asks for another file: {error}") from error

        known = set(self.library.ids)
        self.reading.apart(write, self.reading.say)

    # Lists in

    def bring_in(self, _count: int | None) -> None:
        from tui.screens.prompt import Paths

        about = "a file or a folder of lists; Tab completes, ~ is your home"
        self.reading.ask("Import", "", about, self._bring_in, suggester=Paths())

    def _bring_in(self, text: str) -> None:
        """Import a file, or what lies in a folder. Raises ValueError."""
        from tui.bringing import bring

        try:
            path = Path(text.strip()).expanduser().absolute()
        except RuntimeError as error:  # no such home
            raise ValueError(str(error)) from error
        if not text.strip() or not path.exists():
            raise ValueError(f"no file {drawable(text.strip())!r}" if text.strip() else "name a file")
        name = drawable(path.name)

        def work() -> str:
            def progress(how_far: str) -> None:
                self.reading.post_message(Told(f"{name}: {how_far}"))

            line = bring(self.library.layout.folder, path, progress)
            self.reading.look_now()
            return drawable(line)

        self.reading.say(f"{name}…")
        self.reading.apart(work, self.reading.say)

    def _bring_new(self) -> None:
        """Import what is new in the reader's folders, and say so where something is."""
        from tui.bringing import bring_new

        def work() -> str:
            line = bring_new(self.library.layout.folder, lambda _how_far: None)
            if line:
                self.reading.look_now()
            return drawable(line)

        self.reading.apart(work, lambda line: self.reading.say(line) if line else None)

    # On the command line, with what follows the name; ValueError says why not

    def _say_export(self, text: str) -> None:
        from tui.screens.export import written

        papers, asked = self._exported()
        path = Path(text)
        format = self.library.format_of(path) or "markdown"

        def done(line: str) -> None:
            self._remember(papers, asked, format, str(path.expanduser().absolute()))
            self.reading.say(line)

        self.reading.apart(lambda: written(self.library, papers, asked, format, path), done)

    def _say_import(self, text: str) -> None:
        self._bring_in(text)

    def _say_pipe(self, text: str) -> None:
        self._pipe(text, self.targets(None))
