"""Vega, Vega-Lite and Vega-Embed as one script, so that a page needs no network."""

from functools import cache

_SNIPPET = "window.vegaEmbed=vegaEmbed;window.vega=vega;"


@cache
def vega_bundle() -> str:
    """Return JavaScript that defines ``window.vegaEmbed`` and ``window.vega``.

    It is safe inside a ``<script>`` element: it holds neither ``</script`` nor ``<!--``.
    """
    import vl_convert

    code = vl_convert.javascript_bundle(_SNIPPET, vl_version=vega_lite_version())
    for harmful in ("</script", "<!--"):
        assert harmful not in code.lower()
    return f"(function(){{{code}}})();"


def vega_lite_version() -> str:
    """Return the version of Vega-Lite that altair writes, as vl-convert names it."""
    import altair

    return ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])
