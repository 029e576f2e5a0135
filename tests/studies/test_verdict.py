"""How a study came out is counted from its claims, and said before anything else."""

import pytest

from lengthwise.api.reproduce import Reproduced
from lengthwise.api.shown import Rows
from lengthwise.cli.main import main
from lengthwise.studies.catalogue import kept_names
from lengthwise.studies.reproduce import kept_results
from lengthwise.studies.verdict import verdict


def claims(*statuses, section="Figure 1", **more):
    return [{"section": section, "status": status, **more} for status in statuses]


def test_only_what_came_out_counts():
    found = claims("held", "held", "inconclusive", "not run")
    assert verdict(found) == "2 of 2 claims held; 1 inconclusive, 1 not run."
    found += claims("held", "not held", section="section 5")
    assert verdict(found).endswith(
        "Not held: section 5 (1 of 2). All of Figure 1 that could be judged held."
    )
    assert "0 of 1 exploratory claims held" in verdict(found + claims("not held", headline=False))
    assert verdict([]) == ""


def test_a_section_in_which_nothing_came_out_is_not_said_to_hold():
    found = claims("not held") + claims("inconclusive", "not run", section="section 5")
    assert "section 5" not in verdict(found)


@pytest.mark.parametrize("study", kept_names(edition=1))
def test_the_terminal_says_the_verdict_first_and_not_much(study, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", study, "--kept", "--edition", "1"])
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    data = kept_results(study, edition=1)
    assert lines[1].startswith(verdict(data["claims"])[:40])
    assert len(lines) <= 40
    shown = list(Reproduced(data, full=True).parts())
    assert isinstance(shown[-1], Rows)
    assert len(shown[-1].rows) == len(data["claims"])
