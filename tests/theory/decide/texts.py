"""A genuine certificate with one character changed: strict readers agree on every one of them."""

import json
import re

SMALL = {
    "format": "lengthwise-certificate",
    "version": 1,
    "class": "plain",
    "accept": "end",
    "answer": "in",
    "alphabet": ["a"],
    "regex": "\u00e9\\",
    "dfa": {"transitions": [[0]], "initial": 0, "accepting": [True]},
    "parts": [
        {
            "last": None,
            "machine": {"transitions": [[0]], "initial": 0, "outputs": [1]},
            "proof": {"modulus": 1, "window": 0, "components": []},
        }
    ],
}
"""The smallest certificate there is: all words over one letter."""

SIGNS = list(",:{}[]\" \t\n\r\0\x0b\f\x1f\u00a0\u2028\ufeff01-+.eE\\/tnfuab'")


def changed_texts():
    """Yield the text of the certificate with one character more, less or another.

    Only every third letter inside names is touched; everything else is, everywhere.
    """
    text = json.dumps(SMALL, separators=(",", ":"))
    inside = {at for match in re.finditer("[a-z]{4,}", text) for at in range(*match.span())}
    for at in range(len(text) + 1):
        if at in inside and at % 9:
            continue
        yield text[:at] + text[at + 1 :]
        yield text[:at] + text[at : at + 1] * 2 + text[at + 1 :]
        for sign in SIGNS:
            yield text[:at] + sign + text[at:]
            yield text[:at] + sign + text[at + 1 :]


def whole_changes():
    """Yield texts that differ from the certificate in more than a character, right ones first."""
    text = json.dumps(SMALL)
    yield text
    yield json.dumps(SMALL, indent=2).replace("\n", " \r\n\t")
    yield text.replace('"format"', '"\\u0066ormat"')
    yield text.replace('"regex": "', '"regex": "\\"\\/\\b\\f\\n\\r\\t\\uD83D\\uDE00')
    yield json.dumps({"format": "lengthwise-certificates", "version": 1, "certificates": [SMALL]})
    yield json.dumps(
        {"format": "lengthwise-certificates", "version": 1, "certificates": [SMALL] * 2}
    )
    for name, value in SMALL.items():  # twice the same field, with the same value
        yield text[:-1] + f", {json.dumps(name)}: {json.dumps(value)}}}"
    yield text + text
    yield text + "null"
    yield f"[{text}]"
    yield "\ufeff" + text
    yield text.replace("true", "True")
    yield text.replace("1}", "1.0}")
    yield text.replace("1}", "1e0}")
    bundle = f'{{"format": "lengthwise-certificates", "certificates": [{text}], "version": '
    for version in ("2", "true", '"1"', "null", "[1]", "0"):
        yield f"{bundle}{version}}}"
        yield text.replace('"version": 1', f'"version": {version}')


def texts():
    """All of them, once each."""
    return list(dict.fromkeys([*whole_changes(), *changed_texts()]))
