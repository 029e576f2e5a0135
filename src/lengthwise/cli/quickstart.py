"""``lengthwise quickstart``: predict, check the proof, train, look; each a command to copy."""

import shlex
import sys
from pathlib import Path

STEPS = (
    "predict binary-majority --encoding nope --encoding ape",
    "predict parity --encoding nope --encoding ape",
    "decide 0*(10*10*)* --certificate {folder}/certificate.json",
    "verify {folder}/certificate.json",
    "train binary-majority parity --encoding nope --encoding ape --train-length 1:10 --recipe "
    "--settle 1.2 --instances 1000 --store {folder}/runs "
    "--plot {folder}/curves.svg --report {folder}/report.html",
)

SHORTER = (
    "These are single runs that end soon after they fit; the studies let models settle for longer "
    "and repeat them with several seeds."
)


def quickstart(*, output: Path = Path("quickstart")) -> None:
    """See the main job end to end in a minute: a proof, trained curves, a page.

    Example: lengthwise quickstart --output /tmp/quickstart

    Parameters
    ----------
    output
        Directory for the certificate, the runs and the page.
    """
    from lengthwise.cli.main import call
    from lengthwise.core.errors import InputError

    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--output {str(output)!r}: {error.strerror}.") from error
    for step in STEPS:
        words = [word.format(folder=output) for word in step.split()]
        sys.stdout.write(f"\n$ lengthwise {shlex.join(words)}\n")
        sys.stdout.flush()
        call(words)
    sys.stdout.write(f"\n{SHORTER}\nThe page to look at: {output / 'report.html'}\n")
