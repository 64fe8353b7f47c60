"""Help, palette, command line, the screen itself, and the way out."""

from __future__ import annotations

from tui.actions import Actions
from tui.commands import BY_NAME


class Around(Actions):
    """What has to do with postil rather than with papers."""

    def help(self, _count: int | None) -> None:
        from tui.screens.help import Help

        self.reading.open_dialog(Help(self.reading.commands, self.reading.place), lambda _none: None)

    def palette(self, _count: int | None) -> None:
        self.reading.app.action_command_palette()

    def command_line(self, _count: int | None) -> None:
        about = "a name, as ? shows it; tag moe, due 7d, rating 4, sort year, export FILE, 12; q quits"
        self.reading.ask("Command", "", about, self._say_command)

    def _say_command(self, text: str) -> None:
        from tui.actions import said

        name, _, rest = text.strip().partition(" ")
        name, rest = name.replace("-", "_"), rest.strip()
        name = {"q": "quit_now", "q!": "quit_now", "wq": "quit_now"}.get(name, name)
        takes = said(self.reading)
        if name.isdecimal() and not rest:
            self.reading.papers.move_to(int(name) - 1)
        elif (rest or name == "join") and name in takes:  # what is joined may be marked
            takes[name](rest)
        elif rest and not rest.isdecimal():
            raise ValueError(f"{name} takes no {rest!r}; these take something: {', '.join(takes)}")
        elif not name:
            return
        elif name in takes and name not in BY_NAME:
            raise ValueError(f"{name} wants something after it")
        elif not self.reading.run_command(name, int(rest) if rest else None):
            raise ValueError(f"no command {name!r} here; `?` shows them all")

    def zoom(self, _count: int | None) -> None:
        self.reading.toggle_class("-zoom")

    def narrower(self, count: int | None) -> None:
        self.reading.split(-(count or 1))

    def wider(self, count: int | None) -> None:
        self.reading.split(count or 1)

    def redraw(self, _count: int | None) -> None:
        self.reading.app.refresh(layout=True)

    def suspend(self, _count: int | None) -> None:
        self.reading.app.action_suspend_process()

    def quit(self, _count: int | None) -> None:
        self.reading.leave()

    def quit_now(self, _count: int | None) -> None:
        self.reading.leave()
