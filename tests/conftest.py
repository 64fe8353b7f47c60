"""What every test stands on: no settings of this machine, and a library of the two lists to copy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from index.library import Library


@pytest.fixture(autouse=True)
def _nobody_at_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No settings, library, clipboard or session of whoever runs the tests."""
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home))
    for name in ("POSTIL_LIBRARY", "TMUX", "SSH_CONNECTION", "SSH_TTY", "DISPLAY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def _filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled") / "library"
    library = Library(folder)
    library.prepare()
    library.close()
    return folder


@pytest.fixture
def library_folder(_filled: Path, tmp_path: Path) -> Path:
    """A library of the shipped lists with its index, of this test alone."""
    folder = tmp_path / "library"
    shutil.copytree(_filled, folder)
    return folder


@pytest.fixture
def open_library(library_folder: Path) -> Callable[[], Library]:
    """Opens the library of this test, again and again."""
    return lambda: Library(library_folder)
