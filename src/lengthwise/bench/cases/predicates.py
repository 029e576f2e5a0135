"""Predicates on words, as a user would write them; ``functions`` says what is true of each."""

import re
from collections.abc import Iterator
from itertools import pairwise


def majority(word: str) -> bool:
    return word.count("a") > word.count("b")


def equal(word: str) -> bool:
    return word.count("a") == word.count("b")


def two_to_three(word: str) -> bool:
    return 2 * word.count("a") == 3 * word.count("b")


def sum_beats_double(word: str) -> bool:
    return word.count("a") + word.count("b") > 2 * word.count("c")


def in_order(word: str) -> bool:
    return word.count("a") <= word.count("b") <= word.count("c")


def all_different(word: str) -> bool:
    return len({word.count("a"), word.count("b"), word.count("c")}) == 3


def most_frequent_is_last(word: str) -> bool:
    return bool(word) and all(word.count(word[-1]) >= word.count(c) for c in "abc")


def block_power(word: str) -> bool:
    half = len(word) // 2
    return word == "a" * half + "b" * half


def three_blocks(word: str) -> bool:
    third = len(word) // 3
    return word == "a" * third + "b" * third + "c" * third


def sum_of_blocks(word: str) -> bool:
    found = re.fullmatch("(a*)(b*)(c*)", word)
    return bool(found) and len(found[1]) + len(found[2]) == len(found[3])


def falling_blocks(word: str) -> bool:
    found = re.fullmatch("(a*)(b*)", word)
    return bool(found) and len(found[1]) > len(found[2])


def _heights(word: str, opening: str, closing: str) -> Iterator[int]:
    height = 0
    for letter in word:
        height += (letter == opening) - (letter == closing)
        yield height


def dyck_1(word: str) -> bool:
    heights = list(_heights(word, "(", ")"))
    return not word or (min(heights) >= 0 and heights[-1] == 0)


def dyck_1_to_height_3(word: str) -> bool:
    return dyck_1(word) and max(_heights(word, "(", ")"), default=0) <= 3


def dyck_1_to_height_9(word: str) -> bool:
    return dyck_1(word) and max(_heights(word, "(", ")"), default=0) <= 9


def shuffled_brackets(word: str) -> bool:
    round_, square = (list(_heights(word, *pair)) for pair in ("()", "[]"))
    return not word or (min(round_ + square) >= 0 and round_[-1] == 0 and square[-1] == 0)


def a_always_leads(word: str) -> bool:
    return all(height >= 0 for height in _heights(word, "a", "b"))


def a_led_once(word: str) -> bool:
    return any(height > 2 for height in _heights(word, "a", "b"))


def majority_before_first_c(word: str) -> bool:
    head = word.partition("c")[0]
    return head.count("a") > head.count("b")


def balanced_around_c(word: str) -> bool:
    head, mark, tail = word.partition("c")
    return bool(mark) and head.count("a") == tail.count("a")


def every_c_after_more_a(word: str) -> bool:
    return all(word[:i].count("a") > word[:i].count("b") for i, c in enumerate(word) if c == "c")


def subsequence_aab(word: str) -> bool:
    return re.search("a.*a.*b", word) is not None


def subsequence_and_majority(word: str) -> bool:
    return re.search("b.*a.*b", word) is not None and word.count("a") > word.count("b")


def starts_with_a_and_equal(word: str) -> bool:
    return word[:1] == "a" and word.count("a") == word.count("b")


def first_is_last(word: str) -> bool:
    return bool(word) and word[0] == word[-1]


def rises_as_often_as_falls(word: str) -> bool:
    return word.count("ab") == word.count("ba")


def three_a(word: str) -> bool:
    return word.count("a") == 3


def few_and_many(word: str) -> bool:
    return word.count("a") <= 2 and word.count("b") >= 3


def some_letter_missing(word: str) -> bool:
    return not ("a" in word and "b" in word and "c" in word)


def a_b_in_turn(word: str) -> bool:
    return re.fullmatch("(ab)*", word) is not None


def sorted_letters(word: str) -> bool:
    return word == "".join(sorted(word))


def even_length(word: str) -> bool:
    return len(word) % 2 == 0


def same_parity(word: str) -> bool:
    return word.count("a") % 2 == word.count("b") % 2


def third_length(word: str) -> bool:
    return len(word) % 3 == 1


def contains_aab(word: str) -> bool:
    return "aab" in word


def no_bb(word: str) -> bool:
    return "bb" not in word


def second_to_last(word: str) -> bool:
    return word[-2:-1] == "a"


def a_at_even_places(word: str) -> bool:
    return all(c == "b" for c in word[::2])


def even_places_beat_odd(word: str) -> bool:
    return word[1::2].count("a") > word[::2].count("a")


def factor_and_counts(word: str) -> bool:
    return "ab" in word and word.count("a") >= word.count("b")


def more_aa_than_bb(word: str) -> bool:
    pairs = list(pairwise(word))
    return pairs.count(("a", "a")) > pairs.count(("b", "b"))


def ends_in_aab(word: str) -> bool:
    return word.endswith("aab")


def parity(word: str) -> bool:
    return word.count("a") % 2 == 0


def multiple_of_three(word: str) -> bool:
    return word.count("a") % 3 == 0


def last_write_was_b(word: str) -> bool:
    return word.replace("e", "")[-1:] == "b"


def pairs_of_a(word: str) -> bool:
    return re.fullmatch("(b|ab*a)*", word) is not None


def exchanged_pairs(word: str) -> bool:
    return re.fullmatch("(aab|abb)*", word) is not None


def divisible_by_three(word: str) -> bool:
    return int(word or "0", 2) % 3 == 0


def palindrome(word: str) -> bool:
    return word == word[::-1]


def palindrome_of_three(word: str) -> bool:
    return word == word[::-1]


def square_word(word: str) -> bool:
    half = len(word) // 2
    return word[:half] == word[half:]


def copy(word: str) -> bool:
    return word.count("#") == 1 and word.split("#")[0] == word.split("#")[1]


def mirror(word: str) -> bool:
    return word.count("#") == 1 and word.split("#")[0] == word.split("#")[1][::-1]


def dyck_2(word: str) -> bool:
    stack: list[str] = []
    for letter in word:
        if letter in "([":
            stack.append(letter)
        elif not stack or stack.pop() + letter not in ("()", "[]"):
            return False
    return not stack


def addition(word: str) -> bool:
    found = re.fullmatch("([01]+)[+]([01]+)=([01]+)", word)
    return bool(found) and int(found[1], 2) + int(found[2], 2) == int(found[3], 2)


def occurs_before(word: str) -> bool:
    head, mark, tail = word.partition("#")
    return bool(mark) and "#" not in tail and tail in head


def larger_number(word: str) -> bool:
    head, mark, tail = word.partition("<")
    return bool(mark) and "<" not in tail and len(head) == len(tail) and head < tail


def product(word: str) -> bool:
    return word.count("a") * word.count("b") == word.count("c")


def square_count(word: str) -> bool:
    return word.count("b") == word.count("a") ** 2


def power_count(word: str) -> bool:
    return word.count("b") == 2 ** word.count("a")


def square_length(word: str) -> bool:
    return round(len(word) ** 0.5) ** 2 == len(word)


def prime_length(word: str) -> bool:
    size = len(word)
    return size > 1 and all(size % k for k in range(2, size))


def power_length(word: str) -> bool:
    return len(word) > 0 and len(word) & (len(word) - 1) == 0


def prime_many_a(word: str) -> bool:
    size = word.count("a")
    return size > 1 and all(size % k for k in range(2, size))


def short_palindrome(word: str) -> bool:
    return len(word) <= 12 and word == word[::-1]


def short_copy(word: str) -> bool:
    return len(word) <= 11 and copy(word)


def late_parity(word: str) -> bool:
    return len(word) <= 45 or word.count("a") % 2 == 0


def late_majority(word: str) -> bool:
    return len(word) <= 40 or word.count("a") > word.count("b")


def middle_letter(word: str) -> bool:
    return len(word) % 2 == 1 and word[len(word) // 2] == "a"


def letter_pointed_at(word: str) -> bool:
    before = word.rstrip("c")
    back = len(word) - len(before)
    return 0 < back <= len(before) and before[-back] == "a"


def subsequence_of_first(word: str) -> bool:
    if word.count("#") != 1:
        return False
    first, second = word.split("#")
    left = iter(first)
    return all(letter in left for letter in second)


def home_again(word: str) -> bool:
    return word.count("L") == word.count("R") and word.count("U") == word.count("D")


def same_bag(word: str) -> bool:
    return word.count("|") == 1 and len({"".join(sorted(part)) for part in word.split("|")}) == 1


def clear_winner(word: str) -> bool:
    first, second, _ = sorted((word.count(letter) for letter in "abc"), reverse=True)
    return first > second


def lead_at_c(word: str) -> bool:
    ahead = seen = 0
    for letter in word:
        ahead += (letter == "a") - (letter == "b")
        seen += letter == "c" and ahead >= 2
    return seen >= 3
