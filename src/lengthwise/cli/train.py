"""``lengthwise train``: from a task's name to curves."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from lengthwise.cli.console import Count, Json, Seed, Whole, print_json
from lengthwise.core.errors import InputError
from lengthwise.runs.experiment import further_ranges, read_range

Many = Parameter(consume_multiple=False, negative="")
Flag = Parameter(negative="")


def train(
    *task: str,
    pe: Annotated[tuple[str, ...], Many] = ("nope",),
    seeds: Count = 1,
    first_seed: Seed = 0,
    train_length: str | None = None,
    test_length: Annotated[tuple[str, ...], Many] = (),
    faithful: Annotated[bool, Flag] = False,
    preset: Literal["gpt2", "t5"] = "gpt2",
    layers: Count = 2,
    heads: Count = 2,
    width: Count = 64,
    dropout: float | None = None,
    attention_scale: Literal["constant", "log-n"] = "constant",
    steps: Count = 3000,
    batch: Count = 64,
    learning_rate: float = 1e-3,
    weight_decay: float = 0.01,
    schedule: Literal["linear", "cosine", "constant"] = "linear",
    warmup: Whole = 0,
    regularize: float = 0.0,
    evaluate_every: Count = 500,
    instances: Count = 2000,
    to_the_end: Annotated[bool, Flag] = False,
    precision: Literal["float32", "bfloat16"] = "float32",
    compiled: Annotated[bool, Parameter(name="--compile", negative="")] = False,
    store: Path | None = None,
    jobs: Count | None = None,
    threads: Count | None = None,
    device: str = "auto",
    again: Annotated[bool, Flag] = False,
    plot: Path | None = None,
    report: Path | None = None,
    as_json: Json = False,
) -> None:
    """Train models and show exact match against length.

    A run that was interrupted continues when the same command is given again, and a finished one
    is not repeated.

    Example: lengthwise train binary-majority --pe nope --pe ape --seeds 3 --train-length 1:50

    Parameters
    ----------
    task
        Tasks by name (see `lengthwise tasks`), with options as `majority:letters=5`, or your own
        as `file.py:Class`.
    pe
        A position encoding (see `lengthwise positions`); give it several times to compare.
    seeds
        How many seeds to train for each task and encoding.
    first_seed
        The first of these seeds.
    train_length
        Lengths of training instances, low:high; 1:50 by default.
    test_length
        Lengths to test on, low:high; give it several times for several ranges. By default up to
        two and three times the longest training length.
    faithful
        For the seventeen regular languages of Huang et al. (2024): train and test on the lengths
        of the authors' data, where ranges overlap. Without it ranges are disjoint.
    preset
        Style of the decoder: GPT-2 or T5.
    layers
        Number of blocks.
    heads
        Attention heads per block; must divide the width.
    width
        Width of the residual stream.
    dropout
        Dropout rate; by default the preset's.
    attention_scale
        With log-n, attention logits grow with the logarithm of the number of visible tokens.
    steps
        Most optimiser steps.
    batch
        Instances per step.
    learning_rate
        Peak learning rate of AdamW.
    weight_decay
        Weight decay of AdamW.
    schedule
        Learning rate after warm-up.
    warmup
        Steps of linear warm-up.
    regularize
        Weight of the penalty on attention between positions (needs --pe ape); papers use 1e-4.
    evaluate_every
        Steps between evaluations.
    instances
        Test instances per range.
    to_the_end
        Take all steps, also when the training lengths are already perfect.
    precision
        Precision of forward and backward; bfloat16 is for accelerators and slower on most CPUs.
    compiled
        Compile the model first; gains on accelerators, costs up to a minute to start.
    store
        Directory of runs; by default $LENGTHWISE_STORE or ./runs.
    jobs
        Runs at the same time; by default as many as there are cores.
    threads
        Threads per run; by default 1 for models narrower than 256.
    device
        cpu, cuda, mps, or auto for the best one present.
    again
        Run again what is finished already.
    plot
        Write the figure to this .png, .svg or .pdf file.
    report
        Write a page to this .html file.
    as_json
        Print results as JSON instead of a table and a plot.
    """
    if not task:
        raise InputError("train: name at least one task; `lengthwise tasks` lists them.")
    ranges = [choose_ranges(name, train_length, test_length, faithful=faithful) for name in task]
    settings: dict[str, Any] = {
        "preset": preset,
        "model": {
            "layers": layers,
            "heads": heads,
            "width": width,
            "attention_scale": attention_scale,
        }
        | ({} if dropout is None else {"dropout": dropout}),
        "training": {
            "steps": steps,
            "batch": batch,
            "learning_rate": learning_rate,
            "weight_decay": weight_decay,
            "schedule": schedule,
            "warmup": warmup,
            "regularize": regularize,
            "evaluate_every": evaluate_every,
            "stop_when_perfect": not to_the_end,
            "precision": precision,
            "compiled": compiled,
        },
        "evaluation": {"instances": instances},
    }
    run_and_show(
        list(zip(task, ranges, strict=True)),
        pe,
        range(first_seed, first_seed + seeds),
        settings,
        store=store,
        jobs=jobs,
        threads=threads,
        device=device,
        again=again,
        plot=plot,
        report=report,
        as_json=as_json,
    )


Ranges = tuple[tuple[int, int], tuple[tuple[int, int], ...]]
"""The lengths to train on, and those to test on."""


def choose_ranges(
    task: str, train_length: str | None, test_length: tuple[str, ...], *, faithful: bool
) -> Ranges:
    """Return the lengths of a task: those given, the published ones, or 1:50 and beyond."""
    if faithful:
        if train_length is not None or test_length:
            raise InputError(
                "--faithful chooses the lengths: leave --train-length and --test-length out."
            )
        from lengthwise.tasks.formal.lengths import published_windows

        windows = published_windows(task)
        return windows.train, windows.bins
    trained = read_range(train_length or "1:50", "--train-length")
    if trained[1] < 1:
        raise InputError(f"--train-length {train_length!r}: the longest length must be at least 1.")
    tests = tuple(read_range(text, "--test-length") for text in test_length)
    return trained, tests or further_ranges(trained)


def run_and_show(
    tasks: list[tuple[str, Ranges]],
    pe: tuple[str, ...],
    seeds: range,
    settings: dict[str, Any],
    *,
    store: Path | None,
    jobs: int | None,
    threads: int | None,
    device: str,
    again: bool,
    plot: Path | None,
    report: Path | None,
    as_json: bool,
) -> None:
    """Execute, then print and write what was asked for."""
    from lengthwise.cli.progress import show_progress
    from lengthwise.cli.results import print_results, results_json
    from lengthwise.report.curves import curves
    from lengthwise.report.output import check_format
    from lengthwise.runs.distributed import leader
    from lengthwise.runs.execute import choose_device
    from lengthwise.runs.experiment import specifications
    from lengthwise.runs.local import execute_all, plan
    from lengthwise.runs.store import Store

    if plot:
        check_format(plot)
    device = choose_device(device)
    specs = [
        spec
        for task, (trained, tests) in tasks
        for spec in specifications(
            (task,),
            pe,
            seeds,
            **settings
            | {"training": settings["training"] | {"length": trained}}
            | {"evaluation": settings["evaluation"] | {"lengths": tests}},
        )
    ]
    how, where = plan(specs, jobs, threads), Store(store)
    if not as_json:
        sys.stderr.write(
            f"{len(specs)} runs, {how.jobs} at a time, threads in each: {how.threads}\n"
        )
    with show_progress(quiet=as_json or not leader()) as listener:
        results = execute_all(specs, where, how, device=device, again=again, on_progress=listener)
    if not leader():  # under torchrun one process writes and prints
        return
    if as_json:
        print_json(results_json(results))
    else:
        print_results(results)
    if plot:
        from lengthwise.report.static_panels import save_figure

        save_figure(curves(results), plot)
        sys.stderr.write(f"figure: {plot}\n")
    if report:
        from lengthwise.report.run_page import save_page

        save_page(results, report, "Exact match against length", cache=where.root / ".cache")
        sys.stderr.write(f"page: {report}\n")
    sys.stderr.write(f"runs: {where.root}\n")
