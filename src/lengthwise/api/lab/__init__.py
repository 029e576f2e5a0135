"""The theory to try: ``lw.lab.lrc()``, ``lw.lab.scoreboard()``; each is ``lengthwise lab NAME``."""

from lengthwise.api.lab.blind_suite import draw as draw
from lengthwise.api.lab.blind_suite import reach as reach
from lengthwise.api.lab.circuits import relation as relation
from lengthwise.api.lab.circuits import src as src
from lengthwise.api.lab.communication import communication as communication
from lengthwise.api.lab.inference import infer as infer
from lengthwise.api.lab.linear import lrc as lrc
from lengthwise.api.lab.linear import theorem as theorem
from lengthwise.api.lab.positions import nope as nope
from lengthwise.api.lab.positions import positional_fit as positional_fit
from lengthwise.api.lab.predictions import scoreboard as scoreboard
