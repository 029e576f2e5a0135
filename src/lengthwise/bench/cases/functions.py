"""Predicates on words with known truth, over all classes; the code is in ``predicates``.

Read at the last letter, which is visible. Where a reason says *image*: letters stand for pieces,
between a fixed start and end; C-RASP is closed under that (Yang, Veseli et al. 2026, Proposition
41), with positions and windows where all pieces have one length.
"""

from pathlib import Path

from lengthwise.bench.cases import Case

FILE = Path(__file__).with_name("predicates.py")

IN = {"plain": True, "periodic_local": True}
ONLY_POSITIONS = {"plain": False, "periodic_local": True}
OUT = {"plain": False, "periodic_local": False}

_COUNTS = "a comparison of sums of counts"
_PREFIXES = "a count of the prefixes that break a comparison of counts"
_FINITE = "finite, so in every class; it only looks like what it is a part of"
_ROWS = (
    "2^n prefixes of length n must be told apart; periodic and local limit transformers pass on "
)
_ROWS += "logarithmically many bits (Huang et al. 2025, Theorem 12)"
_GROUP = "an image is parity: two words of one length that act as a group of order 2 or 3"
_LENGTHS = "on powers of one letter C-RASP[periodic, local] is ultimately periodic; these are not"
_LINEAR = "on blocks of letters C-RASP[periodic, local] is definable by addition alone"


def _case(name: str, alphabet: str, truth: dict[str, bool], reason: str) -> Case:
    return Case(f"{FILE}:{name}", truth, reason, alphabet)


CASES = [
    # plain C-RASP: counts
    _case("majority", "ab", IN, _COUNTS),
    _case("equal", "ab", IN, _COUNTS),
    _case("two_to_three", "ab", IN, _COUNTS),
    _case("sum_beats_double", "abc", IN, _COUNTS),
    _case("in_order", "abc", IN, "two comparisons of counts"),
    _case("all_different", "abc", IN, "three comparisons of counts"),
    _case("most_frequent_is_last", "abc", IN, "comparisons of counts for each visible last letter"),
    _case("three_a", "ab", IN, "one count"),
    _case("few_and_many", "ab", IN, "two counts"),
    _case("some_letter_missing", "abc", IN, "one of three counts is 0"),
    # plain C-RASP: counts and order
    _case("block_power", "ab", IN, "equal counts and no a behind a b"),
    _case("three_blocks", "abc", IN, "equal counts and no letter behind a later one"),
    _case("sum_of_blocks", "abc", IN, "#a + #b = #c and no letter behind a later one"),
    _case("falling_blocks", "ab", IN, "#a > #b and no a behind a b"),
    _case("dyck_1", "()", IN, _PREFIXES),
    _case("dyck_1_to_height_3", "()", IN, _PREFIXES),
    _case("dyck_1_to_height_9", "()", IN, _PREFIXES),
    _case("shuffled_brackets", "()[]", IN, "two such counts of prefixes"),
    _case("a_always_leads", "ab", IN, _PREFIXES),
    _case("a_led_once", "ab", IN, "a count of the prefixes with #a > #b + 2"),
    _case("majority_before_first_c", "abc", IN, "counts of letters where #c = 0"),
    _case("balanced_around_c", "abc", IN, "counts of a where #c = 0 and where #c > 0"),
    _case("every_c_after_more_a", "abc", IN, "no c where #a <= #b"),
    _case("subsequence_aab", "abc", IN, "piecewise testable"),
    _case("subsequence_and_majority", "abc", IN, "piecewise testable, and a comparison of counts"),
    _case("starts_with_a_and_equal", "ab", IN, "the first letter, and equal counts"),
    _case("first_is_last", "ab", IN, "the first letter, and the visible last one"),
    _case("rises_as_often_as_falls", "ab", IN, "the same as first_is_last"),
    _case("more_aa_than_bb", "ab", IN, "#aa - #bb is #a - #b up to the first and last letter"),
    _case("a_b_in_turn", "ab", IN, "#a - #b is 0 or 1 in every prefix"),
    _case("sorted_letters", "abc", IN, "no letter behind a later one"),
    _case("late_majority", "ab", IN, "the length, and a comparison of counts"),
    _case("home_again", "LRUD", IN, "two pairs of equal counts"),
    _case("same_bag", "abc|", IN, "counts before and behind the mark"),
    _case("clear_winner", "abc", IN, "comparisons of counts"),
    _case("lead_at_c", "abc", IN, "a count of the c where #a > #b + 1"),
    # only with positions or neighbours
    _case("even_length", "ab", ONLY_POSITIONS, "not aperiodic; the position's parity"),
    _case("same_parity", "ab", ONLY_POSITIONS, "the same as even_length"),
    _case("third_length", "ab", ONLY_POSITIONS, "not aperiodic; the position modulo 3"),
    _case("contains_aab", "ab", ONLY_POSITIONS, "b does not leave its states apart; a window"),
    _case("no_bb", "ab", ONLY_POSITIONS, "a does not leave its states apart; a window"),
    _case("second_to_last", "ab", ONLY_POSITIONS, "the letter before the last one; a window"),
    _case("ends_in_aab", "ab", ONLY_POSITIONS, "the letters before the last one; a window"),
    _case("a_at_even_places", "ab", ONLY_POSITIONS, "b^n a has the parity of n as an image"),
    _case("even_places_beat_odd", "ab", ONLY_POSITIONS, "b^n a has the parity of n as an image"),
    _case("factor_and_counts", "abc", ONLY_POSITIONS, "an image contains a factor of two letters"),
    _case("exchanged_pairs", "ab", ONLY_POSITIONS, "2a + b = 0 = a + 2b; the position modulo 3"),
    # regular and outside
    _case("parity", "ab", OUT, "not aperiodic, with a neutral letter"),
    _case("multiple_of_three", "ab", OUT, "not aperiodic, with a neutral letter"),
    _case("pairs_of_a", "ab", OUT, "the same as parity"),
    _case("last_write_was_b", "abe", OUT, "flip-flop, with a neutral letter"),
    _case("divisible_by_three", "01", OUT, _GROUP),
    # not regular and outside: too much to tell apart
    _case("palindrome", "ab", OUT, _ROWS),
    _case("palindrome_of_three", "abc", OUT, _ROWS),
    _case("square_word", "ab", OUT, _ROWS),
    _case("copy", "ab#", OUT, _ROWS),
    _case("mirror", "ab#", OUT, _ROWS),
    _case("dyck_2", "()[]", OUT, _ROWS),
    _case("addition", "01+=", OUT, _ROWS),
    _case("occurs_before", "ab#", OUT, _ROWS),
    _case("larger_number", "01<", OUT, _ROWS),
    _case("middle_letter", "ab", OUT, _ROWS),
    _case("letter_pointed_at", "abc", OUT, _ROWS),
    _case("subsequence_of_first", "ab#", OUT, _ROWS),
    # not regular and outside: not linear
    _case("product", "abc", OUT, _LINEAR),
    _case("square_count", "ab", OUT, _LINEAR),
    _case("power_count", "ab", OUT, _LINEAR),
    _case("square_length", "a", OUT, _LENGTHS),
    _case("prime_length", "a", OUT, _LENGTHS),
    _case("power_length", "a", OUT, _LENGTHS),
    _case("prime_many_a", "ab", OUT, _LENGTHS),
    # traps: what is read first is not what it is
    _case("short_palindrome", "ab", IN, _FINITE),
    _case("short_copy", "ab#", IN, _FINITE),
    _case("late_parity", "ab", OUT, "beyond length 45 it is parity"),
]
