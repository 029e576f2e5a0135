"""The search of Huang et al. (2024): 54 configurations, then `lengthwise runs select --repeat 5`.

lengthwise sweep examples/selection.py --dry-run
"""

SWEEP = {
    "name": "selection",
    "axes": {
        "task": ["binary-majority", "majority", "sort", "unique-copy"],
        "position": ["ape", "nope"],
        "model.layers": [1, 2, 4],
        "model.heads": [1, 2, 4],
        "model.width": [16, 64, 256],
        "training.learning_rate": [1e-3, 1e-4],
    },
    "fixed": {
        "training.length": [1, 50],
        "training.steps": 30_000,
        "training.evaluate_every": 3_000,
    },
    "sizes": {"smoke": {"model.layers": [1], "model.width": [16], "training.steps": 20}},
}
