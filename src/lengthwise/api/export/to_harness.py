"""``export task``: a task for the evaluation harness that people already use."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lengthwise.api.shown import Rows, Shown, writes
from lengthwise.api.verb import verb
from lengthwise.core.bounds import Count, Seed, Whole
from lengthwise.records.spec import read_range


@dataclass(frozen=True)
class ExportedTask(Shown):
    """A folder of YAML and JSONL files, ready to be written."""

    task: str
    files: dict[str, bytes]

    def parts(self) -> Iterator[str | Rows]:
        """Yield the sub-tasks and how they are run."""
        group = next(name for name in reversed(self.files)).removesuffix(".yaml")
        line = b"\n"
        rows = [
            {"sub-task": name.removesuffix(".jsonl"), "instances": f"{data.count(line):,}"}
            for name, data in self.files.items()
            if name.endswith(".jsonl")
        ]
        yield Rows(rows, self.task)
        yield f"in the folder: lm_eval --include_path . --tasks {group} --model hf ..."

    def to_json(self) -> dict[str, Any]:
        """Return the sizes of the files."""
        sizes = {name: len(data) for name, data in self.files.items()}
        return {"task": self.task, "files": sizes}

    @writes(folder=True, aliases=("-o",))
    def output(self, path: Path) -> None:
        """The folder to write."""
        from lengthwise.core.outputs import save_bytes

        for name, data in self.files.items():
            save_bytes(path / name, data)


@verb()
def task(
    task: str,
    *,
    length: str = "1:40",
    instances: Count = 50,
    seed: Seed = 0,
    shots: Whole = 8,
    shot_length: str | None = None,
    spelling: Sequence[str] = (),
) -> ExportedTask:
    """Export a task, by length, for EleutherAI's lm-evaluation-harness.

    The instances, examples and text are those of `lengthwise evaluate FOLDER --task T`.

    Example: lengthwise export task parity --length 1:40 -o parity-harness

    Args:
        task: The task by name, with options, or a regular expression.
        length: The lengths, low:high, every possible one; they are divided into ranges.
        instances: Instances at every length.
        seed: Of the instances.
        shots: Worked examples before each instance.
        shot_length: The lengths of these examples, low:high; by default the eight shortest.
        spelling: How a symbol is written, as `accept=yes`; may be repeated.
    """
    import numpy as np

    from lengthwise.evaluation.answers import check_writes
    from lengthwise.subjects import as_task
    from lengthwise.tasks import load_task
    from lengthwise.tasks.text.harness import harness_files
    from lengthwise.tasks.text.spelling import read_spelling

    named = as_task(task)
    built = load_task(named)
    lengths = [int(n) for n in built.check_range(*read_range(length, "--length"))]
    check_writes(built, built.sample(np.random.default_rng(0), np.full(8, lengths[0])))
    files = harness_files(
        built,
        named,
        lengths,
        instances=instances,
        seed=seed,
        shots=shots,
        shown=None if shot_length is None else read_range(shot_length, "--shot-length"),
        spelling=read_spelling([spelling] if isinstance(spelling, str) else spelling),
    )
    return ExportedTask(named, files)
