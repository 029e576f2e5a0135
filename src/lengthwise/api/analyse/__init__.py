"""How a trained model does it: ``lw.analyse.ranks()`` is ``lengthwise analyse ranks``."""

from lengthwise.api.analyse.heads import attention as attention
from lengthwise.api.analyse.heads import probe as probe
from lengthwise.api.analyse.limit import limit as limit
from lengthwise.api.analyse.norms import positional as positional
from lengthwise.api.analyse.norms import products as products
from lengthwise.api.analyse.norms import regulariser as regulariser
from lengthwise.api.analyse.numbers import cost as cost
from lengthwise.api.analyse.numbers import perplexity as perplexity
from lengthwise.api.analyse.numbers import ranks as ranks
from lengthwise.api.analyse.relations import relation as relation
