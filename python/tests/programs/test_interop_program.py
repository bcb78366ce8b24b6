"""The program `forebay interop` where there is little to show."""

from __future__ import annotations

import pytest

from forebay.interop import __main__ as interop_program
from forebay.interop.conversion_table import Pair


@pytest.mark.parametrize("form", [[], ["--markdown"]])
def test_the_table_without_frameworks_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, form: list[str]
) -> None:
    found = [Pair("numpy", "torch", False, reason="torch is not installed")]
    monkeypatch.setattr("forebay.interop.__main__.pairs", lambda: iter(found))
    assert interop_program.main(form) == 0
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and "install one or more of torch, jax," in said
    assert interop_program.main(["--json"]) == 0
    assert '"torch is not installed"' in capsys.readouterr().out
