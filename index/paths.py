"""Where things lie: the library's folder and what is in it, the user's settings."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of the library in `folder`."""

    folder: Path

    @property
    def papers(self) -> Path:
        """What was imported, append-only: the truth about papers."""
        return self.folder / "papers.jsonl"

    @property
    def lock(self) -> Path:
        """Held while papers.jsonl is written."""
        return self.folder / "library.lock"

    @property
    def index_lock(self) -> Path:
        """Held while the index is built or added to."""
        return self.folder / "index.lock"

    @property
    def state(self) -> Path:
        """The last place, sort and query: may be lost."""
        return self.folder / "state.json"

    @property
    def index(self) -> Path:
        """Everything derived: may be deleted at any moment."""
        return self.folder / "index"

    @property
    def damaged(self) -> Path:
        """Where files lie that could not be read."""
        return self.folder / "damaged"

    @property
    def list(self) -> Path:
        """One derived line a paper, so that the reader starts without reading papers.jsonl."""
        return self.index / "list"

    @property
    def fulltext(self) -> Path:
        """The folder of the full-text index."""
        return self.index / "fulltext"


def library_folder(named: str | None = None) -> Path:
    """The library that was `named`, else POSTIL_LIBRARY's, else the platform's data folder."""
    chosen = named or os.environ.get("POSTIL_LIBRARY")
    return Path(chosen).expanduser().absolute() if chosen else platformdirs.user_data_path("postil")


def config_file() -> Path:
    """The user's `config.toml`, which postil reads and never writes."""
    return platformdirs.user_config_path("postil") / "config.toml"
