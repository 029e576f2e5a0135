"""Pictures: everything that should be there is there, nothing overlaps, nothing is markup."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lengthwise.languages.regex import compile_regex
from lengthwise.report.drawing import RADIUS, Diagram, merge

REGEXES = ["(ab)*", "(a|b)*abb(a|b)*", "(abc|acb|ba)*", "((a|b)(a|b)(a|b))*a", "a{3,6}b*"]


def of(regex):
    dfa = compile_regex(regex)
    final = np.flatnonzero(dfa.accepting).tolist()
    return dfa, Diagram(dfa.alphabet, dfa.transitions.tolist(), dfa.initial, final).draw()


@pytest.mark.parametrize("regex", REGEXES)
def test_every_state_and_every_arrow_is_drawn(regex):
    dfa, picture = of(regex)
    names = [s.text for s in picture.shapes if s.attributes.get("class") == "name"]
    assert names == [str(q) for q in range(dfa.states)]
    rings = [s for s in picture.shapes if s.attributes.get("class") == "ring"]
    assert len(rings) == dfa.accepting.sum()
    arrows = merge(dfa.alphabet, dfa.transitions.tolist(), range(dfa.states))
    titles = {s.title for s in picture.shapes if s.attributes.get("class") == "edge" and s.title}
    assert titles == {f"{a.source} to {a.target} on {' '.join(a.symbols)}" for a in arrows}


@settings(max_examples=40)
@given(st.integers(1, 9), st.integers(1, 3), st.randoms(use_true_random=False))
def test_states_do_not_overlap_and_all_lie_inside_the_box(states, letters, random):
    table = [[random.randrange(states) for _ in range(letters)] for _ in range(states)]
    picture = Diagram("abc"[:letters], table, 0, [0]).draw()
    circles = [
        np.array([s.attributes["cx"], s.attributes["cy"]], dtype=float)
        for s in picture.shapes
        if str(s.attributes.get("class", "")).startswith("state")
    ]
    assert len(circles) == states
    left, top, width, height = picture.box
    for i, one in enumerate(circles):
        assert left <= one[0] - RADIUS
        assert one[0] + RADIUS <= left + width
        assert top <= one[1] - RADIUS
        assert one[1] + RADIUS <= top + height
        for two in circles[:i]:
            assert np.linalg.norm(one - two) > 2 * RADIUS


def test_symbols_are_escaped_in_markup():
    _, picture = of("<&\"'")
    root = ET.fromstring(picture.to_svg())
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    title = "{http://www.w3.org/2000/svg}title"
    labels = [node.find(title).tail for node in root.iter() if node.find(title) is not None]
    assert {"<", "&", '"', "'"} <= {*texts, *labels}


def test_many_symbols_on_one_arrow_are_counted():
    dfa = compile_regex("[a-j]*k")
    picture = Diagram(dfa.alphabet, dfa.transitions.tolist(), 0, [1]).draw()
    texts = {s.text for s in picture.shapes}
    assert "a,b,c,d,… (10)" in texts
    assert "any" in texts
