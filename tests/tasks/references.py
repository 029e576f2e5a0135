"""Slow, obvious solutions of the text tasks: read the prompt, write the whole target."""

import re

PARTS = "icovr"


def spaced(number: int) -> str:
    """N(x): digits with spaces, the sign in front."""
    sign = "- " if number < 0 else ""
    return sign + " ".join(str(abs(number)))


def collapse(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def pad(steps: list[dict[str, str]], parts: str) -> str:
    written = []
    for step in steps:
        text = ""
        if "i" in parts:
            text += "in " + step["i"] + " "
        if "c" in parts:
            text += "comp " + step["c"] + " "
        if "o" in parts:
            text += "out " + step["o"] + " "
        if "v" in parts and "v" in step:
            text += "[ " + step["v"] + " ] "
        if "r" in parts:
            text += "re " + step["r"] + " "
        written.append(text)
    return "Thinking step by step: " + " # ".join(written) + " . Thus, "


def target(name: str, prompt: str, parts: str | None) -> str:
    """Return the collapsed target of a prompt; ``parts`` None means no scratchpad."""
    steps, answer = SOLVERS[name](prompt)
    return collapse((pad(steps, parts) if parts is not None else "") + answer)


def addition(prompt: str):
    match = re.fullmatch(r"Compute ([\d ]+) \+ ([\d ]+) \?", prompt)
    a, b = (group.replace(" ", "") for group in match.groups())
    width = max(len(a), len(b))
    x, y, carry, steps = a.zfill(width), b.zfill(width), 0, []
    while x or carry:
        p, q = int(x[-1:] or 0), int(y[-1:] or 0)
        x, y = x[:-1], y[:-1]
        total = p + q + carry
        rest_a, rest_b = (spaced(int(s)) if s else "" for s in (x, y))
        steps.append(
            {
                "i": f"{p}, {q}",
                "c": f"{p} + {q} + carry = {p + q} + {carry} = {total}",
                "o": str(total % 10),
                "v": f"carry: {total // 10}",
                "r": f"{rest_a} + {rest_b}",
            }
        )
        carry = total // 10
    return steps, f"The answer is {spaced(int(a) + int(b))}."


def polynomial(prompt: str):
    x_text, terms_text = re.fullmatch(r"Evaluate at x = (.*?) in (.*) \?", prompt).groups()
    x = int(x_text.replace(" ", ""))
    terms, steps, total = [], [], 0
    for term in terms_text.split(" + "):
        c, e = re.fullmatch(r"(- \d|\d) \* x \*\* (\d)", term).groups()
        terms.append((term, int(c.replace(" ", "")), int(e)))
    for number, (term, c, e) in enumerate(terms):
        value = c * x**e
        new = (total + value) % 10
        steps.append(
            {
                "i": term,
                "c": f"{spaced(c)} * {spaced(x)} ** {e} = {spaced(c)} * {spaced(x**e)}",
                "o": spaced(value),
                "v": f"sum: {total} + {spaced(value)} = {new}",
                "r": " + ".join(t for t, _, _ in terms[number + 1 :]),
            }
        )
        total = new
    return steps, f"The answer is {sum(c * x**e for _, c, e in terms) % 10}."


def summation(prompt: str):
    values = [int(v) for v in re.fullmatch(r"Compute: (.*) \.\[SEP\]", prompt)[1].split(" + ")]
    steps, s = [], 0
    for number, v in enumerate(values):
        new = (v + s) % 10
        steps.append(
            {
                "i": str(v),
                "c": f"{v} + sum = {v} + {s} =",
                "o": spaced(v + s),
                "v": f"sum: {spaced(v + s)} = {new}",
                "r": " + ".join(str(w) for w in values[number + 1 :]),
            }
        )
        s = new
    return steps, f"The answer is {sum(values) % 10} ."


def parity(prompt: str):
    inside = re.fullmatch(r"Is the number of 1's even in the sequence \[ (.*) \] \?", prompt)[1]
    bits = [int(bit) for bit in inside.split(", ")]
    steps, p = [], 0
    for number, b in enumerate(bits):
        steps.append(
            {
                "i": str(b),
                "c": f"{b} ** par = {b} ** {p}",
                "o": str(b ^ p),
                "v": f"par: {b ^ p}",
                "r": "[ " + ", ".join(str(x) for x in bits[number + 1 :]) + " ]",
            }
        )
        p ^= b
    return steps, f"The answer is {'No' if sum(bits) % 2 else 'Yes'}."


def _sorting(prompt: str, key):
    items = re.fullmatch(r"Sort the following list \[ (.*) \]\.", prompt)[1].split(", ")
    rest, steps = list(items), []
    while rest:
        smallest = min(range(len(rest)), key=lambda i: (key(rest[i]), i))
        front, least = rest[0], rest[smallest]
        rest[0], rest[smallest] = least, front
        rest = rest[1:]
        steps.append(
            {
                "i": front,
                "c": "The minimum of the unsorted portion",
                "o": least,
                "r": "[ " + ", ".join(rest) + " ]",
            }
        )
    return steps, f"The sorted list is [ {', '.join(sorted(items, key=key))} ]."


def sort_single(prompt: str):
    order = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
    return _sorting(prompt, order.index)


def sort_numbers(prompt: str):
    return _sorting(prompt, lambda item: int(item.replace(" ", "")))


def lego(prompt: str):
    clauses_text, query = re.fullmatch(
        r"If (.*)\. Then, what is the value of (\w)\?", prompt
    ).groups()
    clauses = clauses_text.split(", ")
    value: dict[str, int] = {}
    steps: list[dict[str, str]] = []
    while query not in value:
        for clause in clauses:
            variable, right = clause.split(" = ")
            if variable in value:
                continue
            if right in ("+1", "-1"):
                value[variable], computed = int(right), ""
            elif right.split()[1] in value:
                sign, other = right.split()
                value[variable] = value[other] * (1 if sign == "+" else -1)
                computed = f"{sign} {other} = {sign} {value[other]:+d}"
            else:
                continue
            left = [c for c in clauses if c.split(" = ")[0] not in value]
            steps.append(
                {"i": variable, "c": computed, "o": f"{value[variable]:+d}", "r": ", ".join(left)}
            )
            break
    return steps, f"The answer is {value[query]:+d}."


def copy_like(prompt: str):
    """Copy V1, V2, V3 and Reverse have the operation in their first word."""
    verb, *words = prompt.removesuffix(" [SEP]").split()
    if verb == "Replace":
        _, _, new, _, *source = words
        return [], " ".join([new] * len(source))
    return [], " ".join(words if verb == "Copy:" else words[::-1])


ACTIONS = {"walk": "Walk", "look": "Look", "run": "Run", "jump": "Jump"}
TURNS = {"left": "Left", "right": "Right"}


def scan_actions(command: str) -> list[str]:
    if " and " in command:
        one, two = command.split(" and ")
        return scan_actions(one) + scan_actions(two)
    if " after " in command:
        one, two = command.split(" after ")
        return scan_actions(two) + scan_actions(one)
    words = command.split()
    if words[-1] in ("twice", "thrice"):
        return scan_actions(" ".join(words[:-1])) * (2 if words[-1] == "twice" else 3)
    act = [ACTIONS[words[0]]] if words[0] != "turn" else []
    if len(words) == 1:
        return act
    turn = [TURNS[words[-1]]]
    if words[1] == "opposite":
        return turn + turn + act
    if words[1] == "around":
        return (turn + act) * 4
    return turn + act


def scan(prompt: str):
    command = re.fullmatch(r"Solve: (.*)\[SEP\]", prompt)[1]
    return [], " ".join(scan_actions(command))


ONE = {
    "copy": lambda x: x,
    "reverse": lambda x: x[::-1],
    "shift": lambda x: x[1:] + x[:1],
    "echo": lambda x: x + x[-1:],
    "swap_first_last": lambda x: [x[-1], *x[1:-1], x[0]],
    "repeat": lambda x: x + x,
}
TWO = {
    "append": lambda x, y: x + y,
    "prepend": lambda x, y: y + x,
    "remove_first": lambda x, y: y,
    "remove_second": lambda x, y: x,
}


def pcfg_value(words: list[str]) -> list[str]:
    """Evaluate a prefix expression, consuming ``words``."""
    head = words[0]
    if head in ONE:
        words.pop(0)
        return ONE[head](pcfg_value(words))
    if head in TWO:
        words.pop(0)
        first = pcfg_value(words)
        assert words.pop(0) == ","
        return TWO[head](first, pcfg_value(words))
    string = []
    while words and words[0] != ",":
        string.append(words.pop(0))
    return string


def pcfg(prompt: str):
    words = re.fullmatch(r"Solve: (.*)\[SEP\]", prompt)[1].split()
    value = pcfg_value(words)
    assert not words
    return [], " ".join(value)


SOLVERS = {
    "addition-text": addition,
    "polynomial-text": polynomial,
    "summation-text": summation,
    "parity-text": parity,
    "sort-text": sort_single,
    "sort-multi-text": sort_numbers,
    "lego-text": lego,
    "copy-v1-text": copy_like,
    "copy-v2-text": copy_like,
    "copy-v3-text": copy_like,
    "reverse-v1-text": copy_like,
    "scan": scan,
    "pcfg": pcfg,
    "copy-v1-2x-text": lambda prompt: ([], " ".join([copy_like(prompt)[1]] * 2)),
    "copy-v3-2x-text": lambda prompt: ([], " [NEXT] ".join([copy_like(prompt)[1]] * 2)),
    "reverse-v1-2x-text": lambda prompt: ([], " [NEXT] ".join([copy_like(prompt)[1]] * 2)),
    "reverse-v2-text": lambda prompt: (
        [],
        copy_like(prompt)[1] + " [NEXT] " + " ".join(copy_like(prompt)[1].split()[::-1]),
    ),
}
STEPPED = [name for name in SOLVERS if name not in ("scan", "pcfg") and "copy" not in name][:7]
