"""What the papers report about tasks of this library, as data beside our own measurements.

Huang et al. (2024): accuracy in percent on three length bins (in distribution, longer, longest) by
encoding, from the values in their repository. Kazemnejad et al. (2023): mean accuracy over unseen
lengths by encoding, recovered from their published figures and run records.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedLine:
    """One published line: accuracies for an encoding, with the paper they come from."""

    paper: str
    encoding: str
    accuracy: tuple[float, ...]
    note: str = ""


_BINS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    # name: (learned absolute positions, no positions), percent
    "binary-majority": ((100, 99.99, 99.96), (100, 100, 100)),
    "majority": ((100, 99.62, 97.81), (100, 99.86, 98.46)),
    "interleaved-majority": ((100, 96.75, 84.70), (96.16, 68.81, 39.47)),
    "sort": ((100, 99.96, 99.37), (100, 99.81, 80.60)),
    "unique-copy": ((100, 99.86, 98.74), (100, 18.00, 0)),
    "repeat-copy": ((100, 25.55, 0), (100, 28.01, 0)),
    "parity": ((100, 82.95, 62.06), (97.52, 74.50, 63.30)),
    "addition": ((99.74, 26.78, 0), (99.50, 27.69, 0)),
    "aa-star": ((100, 100, 100), (100, 0, 0)),
    "aaaa-star": ((100, 92.3, 86.7), (100, 0, 0)),
    "abab-star": ((100, 89.4, 82.3), (100, 0, 0)),
    "tomita-1": ((100, 100, 100), (100, 100, 100)),
    "tomita-2": ((100, 100, 100), (100, 100, 100)),
    "tomita-3": ((60.45, 7.7, 0), (21.1, 0, 0)),
    "tomita-4": ((100, 85.4, 84.4), (100, 16.45, 0)),
    "tomita-5": ((54.4, 0, 0), (7.1, 0, 0)),
    "tomita-6": ((59.6, 0, 0), (2.4, 0, 0)),
    "tomita-7": ((100, 94.2, 93.2), (100, 87.5, 76.2)),
    "d-2": ((100, 100, 100), (100, 100, 100)),
    "d-3": ((100, 100, 100), (100, 100, 100)),
    "d-4": ((100, 100, 100), (100, 100, 100)),
    "d-12": ((100, 100, 100), (100, 100, 100)),
    "abcde": ((100, 100, 100), (100, 100, 100)),
    "ab-d-bc": ((100, 99.8, 98.5), (100, 99.8, 98.5)),
    "zero-twos": ((99.7, 24.4, 1.2), (18.2, 11.2, 0)),
}
_BIN_NOTES = {
    "tomita-3": "their per-string label map may depress these values",
    "tomita-7": "their per-string label map may depress these values",
    "ab-d-bc": "identical values for both encodings; the second may be a copy",
}

_UNSEEN: dict[str, tuple[float, ...]] = {
    # name: NoPE, T5 bias, ALiBi, rotary, sinusoidal
    "copy-v1-text": (0.986, 0.771, 0.289, 0.000, 0.000),
    "copy-v1-2x-text": (0.974, 0.558, 0.194, 0.000, 0.000),
    "copy-v2-text": (0.967, 0.939, 0.170, 0.016, 0.000),
    "copy-v3-text": (0.305, 0.420, 0.331, 0.011, 0.028),
    "copy-v3-2x-text": (0.431, 0.524, 0.569, 0.043, 0.040),
    "reverse-v1-text": (0.230, 0.242, 0.171, 0.077, 0.023),
    "reverse-v1-2x-text": (0.473, 0.448, 0.195, 0.053, 0.011),
    "reverse-v2-text": (0.182, 0.140, 0.115, 0.000, 0.000),
    "addition-text": (0.0845, 0.0721, 0.0775, 0.0004, 0.0044),
    "polynomial-text": (0.387, 0.360, 0.631, 0.482, 0.213),
    "sort-text": (0.995, 0.987, 0.623, 0.489, 0.102),
    "sort-multi-text": (0.264, 0.371, 0.295, 0.751, 0.112),
    "summation-text": (0.301, 0.220, 0.231, 0.086, 0.109),
    "parity-text": (0.749, 0.681, 0.617, 0.512, 0.529),
    "lego-text": (0.646, 0.705, 0.797, 0.748, 0.610),
    "scan": (0.797, 0.798, 0.438, 0.283, 0.057),
    "pcfg": (0.433, 0.439, 0.428, 0.439, 0.366),
}
_ENCODINGS = ("nope", "t5-bias", "alibi", "rotary", "sinusoidal")


def reported(name: str) -> tuple[PublishedLine, ...]:
    """Return what the papers report about a task, if they do.

    Example:
        >>> [(line.encoding, line.accuracy[2]) for line in reported("unique-copy")]
        [('learned', 98.74), ('nope', 0)]
    """
    lines = []
    if name in _BINS:
        note = _BIN_NOTES.get(name, "")
        for encoding, values in zip(("learned", "nope"), _BINS[name], strict=True):
            lines.append(PublishedLine("huang2024", encoding, values, note))
    for encoding, value in zip(_ENCODINGS, _UNSEEN.get(name, ()), strict=False):
        lines.append(
            PublishedLine("kazemnejad2023", encoding, (100 * value,), "mean of unseen lengths")
        )
    return tuple(lines)
