"""Families of verbs and the rooms of the same name; libraries that load when they are used."""

import subprocess
import sys

import pytest

import lengthwise.crasp.parser as parser
import lengthwise.runs.store as store
from lengthwise import crasp, runs


def test_a_family_of_verbs_is_also_the_room_of_its_name():
    assert crasp.run.__module__ == "lengthwise.api.crasp.on_words"
    assert crasp.parse is parser.parse
    assert crasp.learning.__name__ == "lengthwise.crasp.learning"
    assert runs.store is store
    assert runs.query.__module__ == "lengthwise.api.runs"


@pytest.mark.parametrize("family", [crasp, runs])
def test_other_names_are_refused(family):
    with pytest.raises(AttributeError, match="neither a verb nor a part of"):
        _ = family.nothing
    assert not hasattr(family, "__wrapped__")


def test_a_library_is_loaded_by_its_first_use():
    code = (
        "import sys\nfrom lengthwise.core.later import Later\nlibrary = Later('fractions')\n"
        "before = 'fractions' in sys.modules\nprint(before, library.Fraction(1, 2))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False 1/2\n"
