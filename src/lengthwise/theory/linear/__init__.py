"""Position-only linear attention: what an encoding can and cannot extrapolate, in closed form.

:func:`target` makes a concept, :func:`train` fits it on short inputs under an encoding,
:func:`lrc_by_scale` measures its complexity, and the theorems tell what to expect.
"""
