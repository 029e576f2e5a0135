"""What is mutated, and which tests have to notice."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lengthwise.bench.mutation.mutant import Mutant, is_script
from lengthwise.bench.mutation.python_changes import python_mutants
from lengthwise.bench.mutation.script_changes import script_mutants
from lengthwise.core.errors import InputError, nearest

_DECIDE, _LIMIT = "theory/decide", "theory/limit"


@dataclass(frozen=True)
class Mutated:
    """Files of the package that do one thing, with the tests that are theirs."""

    files: tuple[str, ...]
    tests: tuple[str, ...]


# what a wrong answer, a wrong number or a lost run would come from -> its files and tests
PARTS: dict[str, Mutated] = {
    "checker": Mutated(
        (f"{_DECIDE}/check_certificate.py", f"{_DECIDE}/verify.py"), (f"tests/{_DECIDE}",)
    ),
    "second checker": Mutated(
        ("playground/static/check_certificate.js",),
        (
            *(f"tests/{_DECIDE}/test_checker_{name}.py" for name in ("js", "ends", "windows")),
            *(f"tests/{_DECIDE}/test_{name}.py" for name in ("shorter", "forging_bench")),
        ),
    ),
    "decision": Mutated((f"{_DECIDE}/*.py",), (f"tests/{_DECIDE}",)),
    "interpreter": Mutated(
        ("crasp/interpreter.py", "crasp/finite.py"),
        ("tests/crasp/test_interpreter.py", "tests/crasp/test_checking.py"),
    ),
    "compiler": Mutated((f"{_LIMIT}/*.py",), (f"tests/{_LIMIT}",)),
    "margins": Mutated((f"{_LIMIT}/margin.py",), (f"tests/{_LIMIT}/test_margin.py",)),
    "exact match": Mutated(("evaluation/exact.py",), ("tests/evaluation/test_exact.py",)),
    "training": Mutated(("training/loop.py",), ("tests/training",)),
    "packing": Mutated(("models/packing.py",), ("tests/models/test_packing.py",)),
    "store": Mutated(
        ("records/record.py", "records/manifest.py", "runs/store.py"),
        ("tests/runs/test_store.py", "tests/runs/test_integrity.py", "tests/runs/test_verify.py"),
    ),
    "driver": Mutated(
        ("runs/driver.py",), ("tests/runs/test_driver.py", "tests/runs/test_losses.py")
    ),
    "verdicts": Mutated(
        ("predict/combine.py", "predict/classes.py"), ("tests/predict/test_combine.py",)
    ),
}


@dataclass(frozen=True)
class Sought:
    """One file to be mutated: its part, its tests, and all of its mutants."""

    part: str
    file: str
    tests: tuple[str, ...]
    mutants: tuple[Mutant, ...]


def mutants_of(file: str, source: str) -> list[Mutant]:
    """Return all mutants of a file of the package."""
    return (script_mutants if is_script(file) else python_mutants)(file, source)


def sought(package: Path, wanted: Sequence[str] = ()) -> list[Sought]:
    """Return the files to be mutated: all, or those whose path ends with a name that is given."""
    found: dict[str, Sought] = {}
    # a file that is named by itself belongs there, not where a pattern has it too
    for part, of in sorted(PARTS.items(), key=lambda item: any("*" in x for x in item[1].files)):
        for pattern in of.files:
            for path in sorted(package.glob(pattern)):
                file = path.relative_to(package).as_posix()
                if file in found or path.name == "__init__.py":
                    continue
                mutants = mutants_of(file, path.read_text(encoding="utf-8"))
                found[file] = Sought(part, file, of.tests, tuple(mutants))
    for name in wanted:
        if not any(_ends(file, name) for file in found):
            close = nearest(name, [*found, *(Path(file).name for file in found)])
            raise InputError(f"--file: {name!r} is none of the files that are mutated.{close}")
    chosen = [s for s in found.values() if not wanted or any(_ends(s.file, n) for n in wanted)]
    return sorted(chosen, key=lambda s: (list(PARTS).index(s.part), s.file))


def _ends(file: str, name: str) -> bool:
    return f"/{file}".endswith(f"/{name.removeprefix('src/lengthwise/')}")


def sample(files: Iterable[Sought], count: int | None, seed: int) -> list[tuple[Sought, Mutant]]:
    """Draw mutants, the same for the same seed: every part in turn, so that none is left out.

    Without a count all of them are returned.
    """
    rng = random.Random(seed)
    pools: dict[str, list[tuple[Sought, Mutant]]] = {}
    for one in files:
        pools.setdefault(one.part, []).extend((one, mutant) for mutant in one.mutants)
    if count is None:
        return [pair for pool in pools.values() for pair in pool]
    for pool in pools.values():
        rng.shuffle(pool)
    drawn: list[tuple[Sought, Mutant]] = []
    while len(drawn) < count and any(pools.values()):
        for pool in pools.values():
            if pool and len(drawn) < count:
                drawn.append(pool.pop())
    place = {part: at for at, part in enumerate(pools)}
    return sorted(drawn, key=lambda d: (place[d[0].part], d[0].file, d[1].start, d[1].after))
