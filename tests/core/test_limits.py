"""Limits: one clock, one exception; an alarm for code that does not look."""

import math
import signal
import time
from dataclasses import replace

import pytest

from lengthwise.core import limits
from lengthwise.core.errors import InputError
from lengthwise.core.limits import LimitReachedError, Limits


def past(given: Limits, seconds: float) -> Limits:
    """Return the limits as they are after some seconds."""
    return replace(given, started=given.started - seconds)


def spin() -> None:
    while True:
        pass


def test_a_clock_that_is_over_says_during_what():
    limits = past(Limits(5), 6)
    assert limits.over
    assert 0 < limits.left() < 0.1
    with pytest.raises(LimitReachedError, match=r"time limit of 5 s reached during the search"):
        limits.check("the search")


def test_without_a_time_limit_nothing_is_over():
    limits = past(Limits(None), 1e9)
    limits.check("anything")
    limits.expect(1e9, "anything")
    assert limits.left() == math.inf
    assert not limits.over
    assert limits.part(0.5).seconds is None
    assert limits.part(0.5, most=3).seconds == 3
    with limits.alarm("nothing rings"):
        pass


def test_a_part_is_a_share_of_what_is_left_with_the_same_sizes():
    part = past(Limits(10, monoid=7, memory=1 << 30), 4).part(0.5)
    assert part.seconds == pytest.approx(3, abs=0.1)
    assert (part.monoid, part.memory) == (7, 1 << 30)
    assert part.spent() < 1


def test_restarted_limits_have_all_their_time_again():
    assert not past(Limits(5), 6).restarted().over


@pytest.mark.parametrize("seconds", [0, -1, math.inf, math.nan])
def test_a_time_limit_is_positive_and_finite(seconds):
    with pytest.raises(InputError, match="must be positive and finite"):
        Limits(seconds)


def test_sizes_are_named():
    with pytest.raises(LimitReachedError, match=r"the table needs 8; the limit \(monoid\) is 7"):
        Limits(monoid=7).require(8, "monoid", "the table")


def test_an_alarm_interrupts_what_does_not_look_at_the_clock():
    message = r"limit of 0.05 s reached during spinning"
    with pytest.raises(LimitReachedError, match=message), Limits(0.05).alarm("spinning"):
        spin()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_alarm_passes_code_that_catches_exceptions_and_rings_again():
    def stubborn() -> None:
        while True:
            try:
                spin()
            except Exception:
                pytest.fail("the alarm was caught as an ordinary exception")
            except BaseException as error:  # what a careless library may do
                caught.append(error)
                if len(caught) == 2:
                    raise

    caught: list[BaseException] = []
    with pytest.raises(LimitReachedError), Limits(0.05).alarm("a stubborn function"):
        stubborn()
    assert len(caught) == 2


def test_an_outer_alarm_outlives_inner_ones():
    def nested() -> None:
        with pytest.raises(LimitReachedError, match="inner"), Limits(30).alarm("inner"):
            spin()
        spin()

    with pytest.raises(LimitReachedError, match="outer"), Limits(0.1).alarm("outer"):
        nested()


def test_an_alarm_that_is_not_needed_leaves_nothing_behind():
    before = signal.getsignal(signal.SIGALRM)
    with Limits(30).alarm("nothing"):
        pass
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_alarm_waits_where_python_would_drop_it():
    """Raised in ``__del__`` it would be lost with a complaint on standard error."""

    class Slow:
        def __del__(self) -> None:
            end = time.monotonic() + 0.1
            while time.monotonic() < end:
                pass
            ended.append(True)

    def destroy_and_spin() -> None:
        Slow()
        spin()

    ended: list[bool] = []
    with pytest.raises(LimitReachedError), Limits(0.02).alarm("a destructor"):
        destroy_and_spin()
    assert ended == [True]


def test_a_late_ring_does_not_set_the_timer_again_when_the_last_block_is_left():
    """The handler is taken away next; with a timer the process would be killed."""
    space = {}
    code = "import sys\ndef ring(of): of(0, sys._getframe())"
    exec(compile(code, limits.__file__, "exec"), space)
    space["ring"](limits._ring)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    with Limits(60).alarm("a block"):
        space["ring"](limits._ring)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 0.01
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def disguised(error: Exception) -> None:
    try:
        spin()
    except BaseException:
        raise error from None


def test_code_that_makes_another_exception_of_an_alarm_is_out_of_time():
    """As numpy does where it compares structured arrays."""
    with pytest.raises(LimitReachedError, match="during it"), Limits(0.05).alarm("it"):
        disguised(TypeError("cannot compare"))
    with pytest.raises(InputError, match="no such file"), Limits(0.05).alarm("it"):
        disguised(InputError("no such file"))
    with pytest.raises(TypeError, match="a bug"), Limits(60).alarm("it"):
        raise TypeError("a bug")
