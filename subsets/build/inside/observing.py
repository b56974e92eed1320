"""One function, which is also pasted into every semantic test: it must stand alone."""

# mypy: ignore-errors


def observe(thunk):
    """Tell what a call gives: a value with its type, or the exception that it raises."""
    import itertools
    import re

    def told(value, depth=0):
        if hasattr(value, "__next__"):
            items = ", ".join(told(item, depth + 1) for item in itertools.islice(value, 50))
            return "iterator of [" + items + "]"
        if isinstance(value, (set, frozenset)):
            return type(value).__name__ + " of [" + ", ".join(sorted(map(repr, value))) + "]"
        if type(value) in (list, tuple) and depth < 4:
            return type(value).__name__ + " of [" + ", ".join(told(item, depth + 1) for item in value) + "]"
        return repr(value)

    try:
        value = thunk()
        text = type(value).__name__ + ": " + told(value)
    except Exception as error:  # noqa: BLE001
        text = "raises " + type(error).__name__ + ": " + str(error)
    return re.sub(r"0x[0-9a-f]{6,}", "0x", text)[:2000]
