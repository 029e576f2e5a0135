"""Imported once by the process that workers are forked from, so that each starts at once."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch and numpy are loaded

from lengthwise.crasp import library, targets
from lengthwise.languages import regex
from lengthwise.playground import (
    changes,
    commands,
    disagreement,
    language,
    programs,
    results,
    word_steps,
)
from lengthwise.predict.prediction import loaded_providers
from lengthwise.report import certificate_steps, run_command
from lengthwise.runs import status
from lengthwise.studies import known_results
from lengthwise.theory.decide import check_certificate, explain
from lengthwise.theory.decide import decision as decide
from lengthwise.theory.limit import compare as check
from lengthwise.theory.limit import compiled as model

LOADED = (
    *(
        changes,
        commands,
        disagreement,
        word_steps,
        language,
        programs,
        results,
        certificate_steps,
        run_command,
        status,
        known_results,
    ),
    *(
        check_certificate,
        decide,
        explain,
        regex,
        library,
        targets,
        check,
        model,
        *map(loaded_providers, ("regex", "program", "task")),
    ),
)
"""What a worker finds ready."""
