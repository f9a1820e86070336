"""What tests of the command share."""

import io
import sys

import pytest

from solver import cli


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command in this process: (status, standard output, standard error)."""

    def call(*words, stdin=""):
        monkeypatch.setattr(sys, "argv", ["solver", *words])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = capsys.readouterr()
        return exit_.value.code or 0, out, err

    return call
