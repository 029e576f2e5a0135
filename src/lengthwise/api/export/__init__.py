"""To other libraries: ``lw.export.model()`` is ``lengthwise export model``."""

from lengthwise.api.export.models import model as model
from lengthwise.api.export.to_harness import task as task
from lengthwise.api.export.to_lens import lens as lens
