"""Our own runs of the same task, passed in as plain rows; they inform, they do not decide."""

from lengthwise.predict.providers import Context
from lengthwise.predict.types import Evidence
from lengthwise.records.outcomes import cell_outcome


def measurements(context: Context) -> list[Evidence]:
    """Quote every measured run of the subject.

    A row has ``task``, ``encoding``, ``run``, ``trained`` (longest training length) and ``bins``, a
    list of (low, high, accuracy) of which the first is the training range.
    """
    found: list[Evidence] = []
    for row in context.measurements:
        if row["task"] != context.subject.name:
            continue
        shown = ", ".join(f"{low}-{high}: {value:.1%}" for low, high, value in row["bins"])
        far = [value for low, _, value in row["bins"] if low > 2 * row["trained"]]
        facts = {"encoding": row["encoding"], "run": row["run"]}
        if far:
            facts["outcome"] = cell_outcome([(row["bins"][0][2], far[-1])])
        found.append(
            Evidence(
                "measurements",
                f"run {row['run']} with {row['encoding']}: exact match {shown}",
                "measured",
                basis="the store of runs",
                facts=facts,
            )
        )
    return found
