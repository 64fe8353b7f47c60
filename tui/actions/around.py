"""Help, palette, command line, the screen itself, and the way out."""

from __future__ import annotations

from tui.actions import Actions


class Around(Actions):
    """What has to do with postil rather than with papers."""

    def help(self, _count: int | None) -> None:
        from tui.screens.help import Help

        self.reading.open_dialog(Help(self.reading.commands, self.reading.place), lambda _none: None)

    def palette(self, _count: int | None) -> None:
        self.reading.app.action_command_palette()

    def command_line(self, _count: int | None) -> None:
        self.reading.ask("Command", "", "its name, as `?` shows it; q quits", self._say_command)

    def _say_command(self, text: str) -> None:
        name, _, number = text.strip().partition(" ")
        name = name.replace("-", "_")
        name = {"q": "quit_now", "q!": "quit_now", "wq": "quit_now"}.get(name, name)
        if number and not number.isdigit():
            raise ValueError(f"{number!r} is no number")
        if name and not self.reading.run_command(name, int(number) if number else None):
            raise ValueError(f"no command {name!r} here; `?` shows them all")

    def zoom(self, _count: int | None) -> None:
        self.reading.toggle_class("-zoom")

    def redraw(self, _count: int | None) -> None:
        self.reading.app.refresh(layout=True)

    def suspend(self, _count: int | None) -> None:
        self.reading.app.action_suspend_process()

    def quit(self, _count: int | None) -> None:
        self.reading.leave()

    def quit_now(self, _count: int | None) -> None:
        self.reading.leave()
