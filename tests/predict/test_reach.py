"""The expected reach: its ranges have the chance they say, and calibration leaves languages out."""

import numpy as np
import pytest

from lengthwise.predict.reach import ENOUGH, calibrate, expected_curve, further


@pytest.mark.parametrize("many", [5, 13, 40])
def test_a_further_value_lies_in_its_range_with_the_chance_that_is_said(many):
    rng = np.random.default_rng(0)
    draws = rng.beta(0.3, 0.3, (4000, many + 1))  # most near 0 or 1
    inside, chance = 0, 0.0
    for row in draws.tolist():
        low, high, chance = further(row[:-1])
        inside += low <= row[-1] <= high
    assert inside / len(draws) == pytest.approx(chance, abs=0.025)


def row(number: int, accuracy: float, **fields) -> dict:
    base = {"encoding": "nope", "predicted": "yes", "fragment": "plain", "depth": 1}
    outcome = "holds" if accuracy >= 0.7 else "fails"
    curve = [[at, [[round(100 * accuracy), 100]] * 5] for at in (1, 1.5, 2)]
    about = {"subject": f"s{number}", "outcome": outcome, "reach": 2.0, "curve": curve}
    return {**base, **about, **fields}


def test_calibration_compares_with_languages_that_were_left_out():
    same = [row(n, 0.9) for n in range(8)]
    (found,) = calibrate(same)
    assert (found.languages, found.points, found.inside, found.score) == (8, 16, 16, 0.0)
    odd = [*same, row(8, 0.1)]
    (found,) = calibrate(odd)
    assert found.inside == 16  # the odd one is outside of what the others say
    assert found.score > 0
    unfitted = [row(n, 0.1, outcome="not fitted") for n in range(20, 30)]
    assert calibrate([*odd, *unfitted]) == [found]
    assert calibrate(same[:ENOUGH]) == []


def test_a_curve_needs_enough_languages_at_each_point():
    rows = [row(n, 0.9) for n in range(5)]
    assert [point.at for point in expected_curve(rows)] == [1.0, 1.5, 2.0]
    rows[0]["curve"] = rows[0]["curve"][:1]
    assert [point.at for point in expected_curve(rows)] == [1.0]
