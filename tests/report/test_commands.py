"""The command beside a run makes exactly that run again."""

import shlex

import pytest

from lengthwise.cli.main import call
from lengthwise.records.spec import RunSpec
from lengthwise.report.run_command import command
from lengthwise.runs import local

SPECS = {
    "defaults": {"task": "parity", "position": "nope"},
    "options of task and encoding": {
        "task": "sort:symbols=200",
        "position": "rope:base=1000",
        "seed": 7,
    },
    "a regex": {"task": "regex:(ab)*;supervision=state", "position": "nope"},
    "a regex with a quote and a space": {
        "task": "regex:(a|')(\\ |b)*;supervision=state",
        "position": "alibi",
    },
    "everything train offers": {
        "task": "parity",
        "position": "ape",
        "seed": 3,
        "model": {"layers": 3, "heads": 4, "width": 32, "dropout": 0.2},
        "training": {
            "length": (2, 9),
            "steps": 10,
            "batch": 8,
            "learning_rate": 3e-5,
            "weight_decay": 0.0,
            "schedule": "cosine",
            "warmup": 4,
            "regularize": 1e-4,
            "evaluate_every": 5,
            "stop_when_perfect": False,
            "precision": "bfloat16",
            "compiled": True,
        },
        "evaluation": {"lengths": ((10, 12), (20, 30)), "instances": 7},
    },
    "clipping": {
        "task": "parity",
        "position": "nope",
        "training": {"clip": 0.5, "length": (1, 20)},
    },
    "a model that no preset gives": {
        "task": "parity",
        "position": "nope",
        "model": {"norm": "rms", "mlp_width": 0},
    },
    "no test lengths": {
        "task": "parity",
        "position": "nope",
        "evaluation": {"lengths": ()},
        "seed": 2,
    },
}


class AskedFor(Exception):  # noqa: N818 - it carries what would have been run
    """Raised instead of training."""


@pytest.mark.parametrize("name", SPECS)
def test_train_gives_the_same_specification(name, monkeypatch):
    spec = RunSpec.create(**SPECS[name])

    def stop(specs, *rest, **options):
        raise AskedFor([made.id for made in specs])

    monkeypatch.setattr(local, "execute_all", stop)
    program, *words = shlex.split(command(spec))
    assert program == "lengthwise"
    with pytest.raises(AskedFor) as asked:
        call(words)
    assert asked.value.args[0] == [spec.id]


def test_the_t5_preset_is_found():
    from lengthwise.models.config import ModelConfig

    model = ModelConfig.preset("t5", width=32)
    spec = RunSpec.create(task="parity", position="t5", model=model.model_dump())
    assert "--preset t5 --width 32" in command(spec)
