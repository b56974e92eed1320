"""Names of settings and dotted paths."""

SEPARATOR = "."


def normalize(name: str) -> str:
    """Return the one spelling of a name that is stored and compared."""
    return name.strip().lower().replace("-", "_")


def split(path: str) -> tuple[str, ...]:
    """Split a dotted path into normalised names."""
    return tuple(normalize(part) for part in path.split(SEPARATOR))


def join(parts: tuple[str, ...]) -> str:
    """Write a path for people."""
    return SEPARATOR.join(parts)
