"""An afternoon of use: random changes from two windows and the command line, with kills in between,
and a model in memory that says what must be held after each of them.

What is done alone is done after its window has seen everything before it. In a burst, where windows and
a command write at once, each keeps to places of its own, so that the order in which they come to the
file is all that the model does not know beforehand: it is read from the history, which must hold each
one's steps in their order. Of a killed window's steps those that it said are on disk must be there; of
the others each paper holds the first few, and the model takes them over as they are found.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from index.annotations import History, Step
from index.annotations.snapshot import stamp
from index.annotations.storage import LEAST_JOURNAL
from index.papers import COLOURS, STATUSES, Highlight, Value
from tests.index.reader_model import Edit, Made, Model, Place, written
from tests.index.window import Window, finish, run_command, start_command

Command: TypeAlias = dict[str, Any]

TAGS: Final = ("moe", "moe/routing", "moe/routing/top-2", "moeglich", "rg", "rg/a", "to read", "größe")
WORDS: Final = (
    "a long one. " * 1000,
    "reads well",
    "cf. Table 3\n\n'so on'",
    "x² ≤ π",
    "多语言",
    "a*b_c",
    "{}",
    "🙂",
    "\\u0000",
)
DAYS: Final = ("2026-12-01", "2026-12-24", "2027-02-28")


@dataclass
class Plan:
    """What one actor does in a burst, and how much of it the history holds."""

    commands: list[Command]
    steps: list[Made]
    recorded: int = 0
    window: int | None = None
    killed: bool = False


class Afternoon:
    """Two windows on the library in `folder`, whose papers have these abstracts.

    They publish from `least_journal` bytes of journal on.
    """

    def __init__(
        self, folder: Path, abstracts: Mapping[str, str], seed: int, least_journal: int = LEAST_JOURNAL
    ) -> None:
        self.folder = folder
        self.abstracts = abstracts
        self.papers = list(abstracts)
        self.chance = random.Random(seed)
        self.model = Model()
        self.ids: dict[Made, str] = {}
        self.least_journal = least_journal
        self.windows = [self.window(), self.window()]
        self.unseen: list[dict[Place, Value]] = [{}, {}]
        self.tally: Counter[str] = Counter()

    def window(self) -> Window:
        return Window(self.folder, least_journal=self.least_journal)

    def run(self, changes: int) -> None:
        """Do things until so many steps are made; whatever is not as the model says raises."""
        doings = {self.alone: 12, self.contest: 1, self.by_command: 3, self.burst: 4, self.reopen: 1}
        while len(self.model.steps) < changes:
            [doing] = self.chance.choices(list(doings), list(doings.values()))
            print(f"{len(self.model.steps)}: {doing.__name__}")  # pytest shows it when something fails
            doing()

    def alone(self) -> None:
        """One window makes one step."""
        number = self.chance.randrange(2)
        self.step(number, *self.doing(self.model, self.windows[number].origin))

    def contest(self) -> None:
        """One window takes back a step of which the other has changed a part meanwhile, and redoes it."""
        (here, there), papers = self.chance.sample((0, 1), 2), self.some_papers()
        for number, places in ((here, papers), (there, papers[:1])):
            edits = [(paper, "status", self.chance.choice(STATUSES)) for paper in places]
            self.step(number, {"edit": edits}, self.model.edit(self.windows[number].origin, edits))
        self.step(here, {"undo": None}, self.model.undo(self.windows[here].origin))
        self.step(here, {"redo": None}, self.model.redo(self.windows[here].origin))

    def step(self, number: int, command: Command, made: Made | None) -> None:
        """A window, which has seen everything, does what makes this step."""
        before = stamp(self.folder / "annotations.json")
        self.catch_up(number)
        self.windows[number].send(command)
        self.windows[number].settle()
        self.observe([Plan([command], [made] if made else [], window=number)])
        self.tally["published midway"] += before != stamp(self.folder / "annotations.json")

    def by_command(self) -> None:
        """The command line changes something, or takes several steps back."""
        words, steps, text = self.command()
        run_command(self.folder, words, text)
        self.observe([Plan([], steps)])

    def burst(self) -> None:
        """Both windows, and now and then a command, at once; now and then with a kill."""
        owners: dict[Place, int] = {}
        plans = []
        for number, window in enumerate(self.windows):
            self.catch_up(number)
            mine = self.own(owners, number)
            plan = Plan([], [], window=number)
            draft = self.model.copy()
            for _ in range(self.chance.randint(2, 9)):
                command, made = self.doing(draft, window.origin, mine, len(self.model.steps))
                plan.commands.append(command)
                if self.chance.random() < 0.3:
                    plan.commands.append({"rest": self.chance.uniform(0, 0.01)})
                if made:
                    draft.make(made)
                    plan.steps.append(made)
            if self.chance.random() < 0.15:
                plan.commands.append({"close": None})
            plans.append(plan)
        running = None
        if self.chance.random() < 0.3:
            words, step, text = self.mark(self.own(owners, 2))
            plans.append(Plan([], step))
            running = start_command(self.folder, words)
            time.sleep(self.chance.uniform(0, 0.15))
        before = [len(window.saved) for window in self.windows]
        for plan, window in zip(plans, self.windows, strict=False):
            window.send(*plan.commands)
        if self.chance.random() < 0.5:
            for number in self.chance.choice(([0], [1], [0, 1])):
                if self.chance.random() < 0.5:
                    self.windows[number].until_saved(
                        before[number] + self.chance.randrange(len(plans[number].steps) + 1)
                    )
                time.sleep(self.chance.choice((0.0, self.chance.uniform(0, 0.03))))
                self.windows[number].kill()
                plans[number].killed = True
        if running:
            finish(running, text)
        self.tally["with a command"] += running is not None
        self.gather(plans)

    def gather(self, plans: Sequence[Plan]) -> None:
        """What a burst came to; windows that closed or were killed in it are opened again."""
        for plan in plans[:2]:
            assert plan.window is not None
            window = self.windows[plan.window]
            if not plan.killed:
                window.settle()
                if {"close": None} in plan.commands:
                    window.quit()
        self.observe(plans)
        for plan in plans[:2]:
            assert plan.window is not None
            if plan.killed:
                assert {*self.windows[plan.window].saved} <= {*self.ids.values()}, (
                    "an acknowledged step is lost"
                )
                self.tally["killed"] += 1
                self.tally["not recorded"] += len(plan.steps) - plan.recorded
            if plan.killed or {"close": None} in plan.commands:
                self.windows[plan.window] = self.window()
            if plan.killed:
                self.take_over(plan)
        for plan in plans[:2]:
            assert plan.window is not None
            if plan.killed or {"close": None} in plan.commands:
                self.compare(plan.window)

    def reopen(self) -> None:
        """A window is closed and opened again: it quits, or is killed idle or as it quits."""
        number = self.chance.randrange(2)
        window = self.windows[number]
        match self.chance.choice(("quit", "killed idle", "killed quitting")):
            case "quit":
                window.quit()
            case "killed idle":
                window.kill()
            case "killed quitting":
                window.send({"close": None})
                time.sleep(self.chance.uniform(0, 0.03))
                window.kill()
        self.windows[number] = self.window()
        self.compare(number)
        self.tally["reopened"] += 1

    def end(self) -> None:
        """Both windows show what the model holds, then quit."""
        for number in range(2):
            self.catch_up(number)
            self.compare(number)
        for window in self.windows:
            window.quit()
        assert sorted(step.step for step in self.history(10**9)) == sorted(self.ids.values())

    # What is held

    def catch_up(self, number: int) -> None:
        """A window sees within a while what the others changed."""
        self.windows[number].see(self.unseen[number])
        self.unseen[number] = {}

    def compare(self, number: int) -> None:
        """A window shows exactly what the model holds."""
        shown = self.windows[number].ask("show", self.papers)
        for paper in self.papers:
            held, wanted = written(shown[paper]), self.model.paper(paper)
            other = {name: (held[name], wanted[name]) for name in wanted if held[name] != wanted[name]}
            assert not other, f"{paper} shows what the model does not: {other}"
        self.unseen[number] = {}

    def history(self, limit: int) -> list[Step]:
        return History(self.folder).steps(limit)[::-1]

    def observe(self, plans: Sequence[Plan]) -> None:
        """Take over what the history holds of these plans, which must be all that is new in it.

        Of a plan whose window was killed it holds the first steps, of any other all.
        """
        known = len(self.model.steps)
        news = self.history(sum(len(plan.steps) for plan in plans) + 1)
        last = self.ids[self.model.steps[-1]] if known else None
        places = [step.step for step in news]
        news = news[places.index(last) + 1 :] if last else news
        by_origin = {self.windows[plan.window].origin: plan for plan in plans if plan.window is not None}
        command = next((plan for plan in plans if plan.window is None), None)
        for step in news:
            plan = by_origin.get(step.origin, command)
            assert plan, "a step of nobody's"
            made = plan.steps[plan.recorded]
            plan.recorded += 1
            held = {(c.paper, c.field): (c.before, c.after) for c in step.changes}
            assert held == made.changes, f"{step.what}: {held}, not {made.changes}"
            assert step.undoes == (made.undoes and self.ids[made.undoes])
            assert step.redoes == (made.redoes and self.ids[made.redoes])
            self.ids[made] = step.step
            self.model.make(made)
            self.tell(made.changes, plan.window)
            self.tally["undone" if made.undoes else "redone" if made.redoes else "changed"] += 1
            back = made.undoes or made.redoes
            self.tally["left alone"] += bool(back and len(made.changes) < len(back.changes))
        for plan in plans:
            assert plan.killed or plan.recorded == len(plan.steps), "a step is not in the history"

    def take_over(self, plan: Plan) -> None:
        """Of steps that were neither acknowledged nor recorded, each paper holds the first few."""
        assert plan.window is not None
        rest: dict[str, list[dict[str, Value]]] = {}
        for made in plan.steps[plan.recorded :]:
            for paper in dict.fromkeys(paper for paper, _ in made.changes):
                part = {name: after for (of, name), (_, after) in made.changes.items() if of == paper}
                rest.setdefault(paper, []).append(part)
        for paper, parts in rest.items():
            names = list(dict.fromkeys(name for part in parts for name in part))
            values = self.windows[plan.window].ask("hold", [(paper, name) for name in names])
            held, told = dict(zip(names, values, strict=True)), {n: self.model.value(paper, n) for n in names}
            for part in parts:
                if told == held:
                    break
                told |= part
            assert told == held, f"{paper} holds what nobody wrote"
            self.model.values.update({(paper, name): value for name, value in held.items()})
            self.tell([(paper, name) for name in names], None)

    def tell(self, places: Iterable[Place], by: int | None) -> None:
        """These places are news to all windows but the one that changed them."""
        for number, unseen in enumerate(self.unseen):
            for place in places:
                if number == by:
                    unseen.pop(place, None)
                else:
                    unseen[place] = self.model.value(*place)

    # What is done

    def own(self, owners: dict[Place, int], actor: int) -> Callable[[Place], bool]:
        """Whether a place is this actor's in a burst; the first question settles whose it is."""
        return lambda place: owners.setdefault(place, self.chance.randrange(3)) == actor

    def doing(
        self,
        model: Model,
        origin: str,
        mine: Callable[[Place], bool] = lambda _place: True,
        since: int | None = None,
    ) -> tuple[Command, Made | None]:
        """A command for a window and the step that it makes.

        In a burst only on places that are `mine`, and only steps after the first `since` are taken back.
        """
        kind = self.chance.choices(("edit", "bulk", "undo", "redo", "retag"), (46, 14, 20, 16, 4))[0]
        if kind in ("undo", "redo"):
            made = model.undo(origin) if kind == "undo" else model.redo(origin)
            back = made and (made.undoes or made.redoes)
            if since is None or (back and back in model.steps[since:]):
                return {kind: None}, made
        if kind == "retag" and since is None and (tags := self.some_tags(model)):
            names = (self.chance.choice(tags), self.chance.choice((*TAGS, "new", None)))
            return {"retag": names}, model.edit(origin, model.retag(self.papers, *names))
        papers = self.some_papers() if kind == "bulk" else [self.chance.choice(self.papers)]
        edits = [edit for paper in papers for edit in self.edits(model, paper) if mine(edit[:2])]
        return {"edit": edits}, model.edit(origin, edits)

    def some_papers(self) -> list[str]:
        return self.chance.sample(self.papers, self.chance.randint(2, len(self.papers)))

    def some_tags(self, model: Model) -> list[str]:
        return sorted({tag for paper in self.papers for tag in model.tags(paper)})

    def edits(self, model: Model, paper: str) -> list[Edit]:
        """One or two edits of one paper."""
        pick, marks = self.chance.choice, model.marks(paper)
        text = "\n\n".join(self.chance.sample(WORDS, self.chance.randint(1, 3)))
        all: dict[str, Value] = {
            "status": pick(STATUSES), "starred": pick((True, False)), "rating": pick((None, 1, 2, 3, 4, 5)),
            "due": pick((None, *DAYS)), "note": text, "title": pick((None, "A title of mine", "另")),
            f"tags/{pick(TAGS)}": True, f"tags/{pick(model.tags(paper) or TAGS)}": False,
        }  # fmt: skip
        mark = self.new_mark(paper)
        all[f"highlights/{mark['id']}"] = mark
        if marks:
            mark = pick(marks)
            again = {
                **mark,
                "colour": pick(COLOURS),
                "comment": pick(WORDS),
                "changed": "2026-12-01T08:00:00.000Z",
            }
            all[f"highlights/{mark['id']}"] = pick((again, None))
        return [(paper, name, all[name]) for name in self.chance.sample(list(all), self.chance.randint(1, 2))]

    def new_mark(self, paper: str) -> dict[str, Any]:
        text = self.abstracts[paper]
        start = self.chance.randrange(len(text) - 1)
        end = self.chance.randint(start + 1, len(text))
        id = f"{self.chance.getrandbits(32):08x}"
        return Highlight.on(text, start, end, id=id, colour=self.chance.choice(COLOURS)).to_json()

    # What the command line does

    def command(self) -> tuple[list[str], list[Made], str]:
        """The words of a command, the steps that it makes, and what it reads."""
        kind = self.chance.choices(("mark", "query", "tags", "undo", "redo"), (8, 2, 3, 4, 3))[0]
        tags = self.some_tags(self.model)
        if kind in ("undo", "redo"):
            count = self.chance.randint(1, 3)
            draft, steps, origin = self.model.copy(), list[Made](), self.nobody()
            for _ in range(count):
                made = draft.undo(origin) if kind == "undo" else draft.redo(origin)
                if made:
                    draft.make(made)
                    steps.append(made)
            return [kind, str(count)], steps, ""
        if kind == "tags" and tags:
            old, new = self.chance.choice(tags), self.chance.choice((*TAGS, "new", None))
            made = self.model.edit(self.nobody(), self.model.retag(self.papers, old, new))
            return (
                ["tags", *(["--rename", old, new] if new else ["--delete", old])],
                [made] if made else [],
                "",
            )
        if kind == "query" and tags:
            tag = self.chance.choice(tags)
            found = [edit[0] for edit in self.model.retag(self.papers, tag, None)]
            made = self.model.edit(self.nobody(), [(paper, "status", "later") for paper in found])
            return ["mark", "--query", f'tag:"{tag}"', "--status", "later"], [made] if made else [], ""
        return self.mark(lambda _place: True)

    def mark(self, mine: Callable[[Place], bool]) -> tuple[list[str], list[Made], str]:
        """A command that marks a paper or some, on places that are `mine`."""
        papers = self.some_papers() if self.chance.random() < 0.3 else [self.chance.choice(self.papers)]
        status, tag, text = (self.chance.choice(some) for some in (STATUSES, TAGS, WORDS))
        rating = self.chance.randrange(6)
        notes = {paper: str(self.model.value(paper, "note")).rstrip("\n") for paper in papers}
        options: dict[str, tuple[list[str], Callable[[str], Value]]] = {
            "status": (["--status", status], lambda _paper: status),
            "starred": (["--star"], lambda _paper: True),
            "rating": (["--rating", str(rating)], lambda _paper: rating or None),
            "due": (["--due", DAYS[0]], lambda _paper: DAYS[0]),
            f"tags/{tag}": (["--tag", tag], lambda _paper: True),
            "note": (["--append-note", "-"], lambda paper: f"{notes[paper]}\n\n{text}".lstrip()),
        }
        names = self.chance.sample(list(options), 3)
        names = [name for name in names if {mine((paper, name)) for paper in papers} == {True}]
        if not names:
            names = [f"tags/c{self.chance.getrandbits(32)}"]  # nobody's yet
            options[names[0]] = (["--tag", names[0][len("tags/") :]], lambda _paper: True)
        edits = [(paper, name, options[name][1](paper)) for paper in papers for name in names]
        made = self.model.edit(self.nobody(), edits)
        words = [word for name in names for word in options[name][0]]
        return ["mark", *papers, *words], [made] if made else [], text

    def nobody(self) -> str:
        """The origin of a command: no other has the same."""
        return f"command {self.chance.getrandbits(64)}"
