"""Decoders in the transformers library's format: read, and written where there is a counterpart.

Nothing here needs that library: a folder is ``config.json`` and ``safetensors`` files. A family
(`gpt2_family`, `llama_family`) says how its configuration reads in our terms and
which of its tensors make each of ours; reading and writing are the same table in two directions.
"""
