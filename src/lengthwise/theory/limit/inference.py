"""The inference procedure of Huang et al. 2025 (section 3.2), run over programs.

For a target f and each context n

    U_n  =  { T with context n in the hypothesis class : T(x, o) = f(x) for all |x| <= n/2
              and all offsets o with |x| + o <= n }
    T_n  in U_n   with   R(T_n) <= 1/n + inf over U_n of R

and the theorem: f is expressible by a PERIODIC and LOCAL limit transformer exactly if R(T_n) stays
bounded and, from some n on, T_n is right at every length up to n. Here the hypotheses are programs
of C-RASP[periodic, local], each as its compiled finite model (:mod:`.hypotheses`), so the theorem's
argument holds with "all transformers" read as "all that were enumerated". Lengths are in letters;
the begin token stands before them. :func:`infer` is the same question with the size of a program in
place of R.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lengthwise.core.errors import InputError
from lengthwise.core.limits import Limits
from lengthwise.crasp.candidates import SearchSpace
from lengthwise.crasp.checking import QUICK, check
from lengthwise.crasp.learning import SECONDS, LearnedProgram, learn
from lengthwise.crasp.program import Program
from lengthwise.crasp.targets import Target
from lengthwise.languages.words import all_words
from lengthwise.theory.limit.hypotheses import Hypotheses, Hypothesis
from lengthwise.theory.limit.products import check_products
from lengthwise.theory.limit.regulariser import Regulariser, explicit
from lengthwise.theory.limit.transformer import LimitTransformer
from lengthwise.theory.limit.translation import to_finite

SEARCHING = 0.4
"""Share of the time for enumerating programs; the rest is for compiling those that fit."""

CANDIDATES = 200_000
"""Most expressions that are enumerated."""
MOST_WORDS = 20_000
"""Most words of the longest length that has to be fitted."""


@dataclass(frozen=True)
class Membership:
    """Whether a model is in U_n: right on all short words at every offset, and in the class."""

    wrong: int
    """Pairs of a word and an offset with the wrong answer."""
    tried: int
    varies: float
    """The most by which a path product breaks the constraint on positions; 0 in the class."""
    tolerance: float = 1e-9

    @property
    def right(self) -> bool:
        """Whether every short word is right at every offset."""
        return self.wrong == 0

    @property
    def inside(self) -> bool:
        """Whether the model is in U_n."""
        return self.right and self.varies <= self.tolerance


@dataclass(frozen=True)
class Chosen:
    """T_n: what was chosen for one context, what it costs, and where it is wrong."""

    context: int
    train_length: int
    chosen: str
    terms: Regulariser | None
    member: Membership | None
    """None where nothing was found."""
    fails_at: int | None
    """The length of the shortest wrong word that was seen; None if there was none."""
    tested: str
    """On what it was tried beyond the short words."""
    note: str = ""

    @property
    def inside(self) -> bool:
        """Whether the choice is in U_n; only then does the theorem speak of it."""
        return self.member is not None and self.member.inside

    @property
    def right(self) -> bool | None:
        """Whether it is right up to the context, as the theorem asks; None if not even to n/2."""
        if self.member is None or not self.member.right:
            return None
        return self.fails_at is None or self.fails_at > self.context

    @property
    def total(self) -> float | None:
        """R(T_n)."""
        return None if self.terms is None else self.terms.total


def settled(rows: Sequence[Chosen]) -> int | None:
    """Return the context from which on the choice never changes and no error was seen.

    At least two contexts must agree: one alone has not been seen to stay.
    """
    stays: list[int] = []
    for row in reversed(rows):
        if not row.inside or row.fails_at is not None or row.chosen != rows[-1].chosen:
            break
        stays.append(row.context)
    return stays[-1] if len(stays) > 1 else None


def simplest_programs(
    target: Target,
    contexts: Sequence[int],
    *,
    horizon: int = 64,
    limits: Limits | None = None,
    space: SearchSpace | None = None,
    own: Program | None = None,
    listener: Callable[[Chosen], None] = lambda row: None,
) -> list[Chosen]:
    """Choose for each context the program of least R that fits all words to half of it.

    ``own`` is a program that is known for the target; it takes part like any other.

    Example:
        >>> from lengthwise.crasp.targets import from_function
        >>> more = from_function(lambda w: w.count("a") > w.count("b"), "ab")
        >>> rows = simplest_programs(more, [8, 10], horizon=16, limits=Limits(20))
        >>> [row.right for row in rows], settled(rows)
        ([True, True], 8)
    """
    contexts, limits = checked(contexts, len(target.letters)), limits or Limits(SECONDS)
    space = space or SearchSpace(candidates=CANDIDATES)
    found = Hypotheses.enumerate(target, contexts[-1] // 2, limits.part(SEARCHING), space, own)
    rows: list[Chosen] = []
    for number, context in enumerate(reversed(contexts)):
        best = found.simplest(context, limits.part(1 / (len(contexts) - number)))
        rows.append(_chosen(best, target, context, horizon))
        listener(rows[-1])
    return rows[::-1]


def _chosen(found: Hypothesis | None, target: Target, context: int, horizon: int) -> Chosen:
    half = context // 2
    if found is None:
        return Chosen(context, half, "none found", None, None, None, "nothing")
    most = max(half, _exhaustive(len(target.letters)))
    report = check(
        found.program, target, seconds=10.0, max_length=most, samples=500, sample_length=horizon
    )
    wrong = report.counterexample
    return Chosen(
        context=context,
        train_length=half,
        chosen=repr(found.program.accept),
        terms=found.terms,
        member=membership(found.limit, target, context),
        fails_at=None if wrong is None else len(wrong),
        tested="proof"
        if report.evidence == "proof"
        else f"all words to length {report.exhaustive_to}, random ones to {report.sampled_to}",
    )


def _exhaustive(letters: int) -> int:
    """Return the longest length with at most ``QUICK`` words, 24 for one letter."""
    return 24 if letters == 1 else int(np.log(QUICK) / np.log(letters))


def membership(limit: LimitTransformer, target: Target, context: int) -> Membership:
    """Run a limit transformer's finite model on all words to n/2 at every offset that fits."""
    finite = to_finite(limit, context + 1)
    row, wrong, tried = finite.outputs.index("accept"), 0, 0
    for length in range(1, context // 2 + 1):
        words = all_words(target.letters, length)
        labels = np.asarray(target.decide(words))
        tokens = finite.encode([words.word(index) for index in range(words.count)])
        for offset in range(context - length + 1):
            said = finite.logits(tokens, offset=offset)[:, -1, row] > 0
            wrong, tried = wrong + int((said != labels).sum()), tried + len(labels)
    products = check_products(explicit(finite))
    return Membership(wrong, tried, max((v.deviation for v in products.violations), default=0.0))


def checked(contexts: Sequence[int], letters: int) -> list[int]:
    """Return the contexts in order; each must have a half, and not too many words to it."""
    if not contexts:
        raise InputError("give at least one context.")
    for context in contexts:
        if context < 2:
            raise InputError(f"context {context}: must be at least 2, so that n/2 is a length.")
        if letters ** (context // 2) > MOST_WORDS:
            raise InputError(
                f"context {context}: {letters}^{context // 2} words of length {context // 2} are "
                f"too many to fit all of them (at most {MOST_WORDS:,})."
            )
    return sorted(set(contexts))


@dataclass(frozen=True)
class Inference:
    """What was learned at each training length, and from which on it was right."""

    learned: tuple[LearnedProgram, ...]
    first_right: int | None

    def rows(self) -> list[dict[str, object]]:
        """Return one row per training length."""
        return [_row(item) for item in self.learned]


def infer(
    target: Target,
    longest: int,
    *,
    space: SearchSpace | None = None,
    seconds: float = SECONDS,
    verify_seconds: float = 1.0,
) -> Inference:
    """Learn from all words up to n for each n up to ``longest``.

    ``first_right`` is the least n such that the programs learned at n and at every larger n tried
    agree with the target on everything tested.

    Example:
        >>> from lengthwise.crasp.targets import from_regex
        >>> infer(from_regex("a*", "ab"), 3, space=SearchSpace(periods=(), window=0)).first_right
        2
    """
    learned = tuple(
        learn(
            target,
            space=space,
            limits=Limits(seconds / longest),
            train_length=n,
            verify_seconds=verify_seconds,
        )
        for n in range(1, longest + 1)
    )
    first: int | None = None
    for item in learned:
        right = item.verified is not None and item.verified.agrees
        first = (first or item.train_length) if right else None
    return Inference(learned, first)


def _row(item: LearnedProgram) -> dict[str, object]:
    program = "none found" if item.program is None else repr(item.program.accept)
    verdict = "-" if item.verified is None else item.verified.sentence()
    return {
        "n": item.train_length,
        "words": item.bank_words,
        "program": program,
        "verified": verdict,
    }
