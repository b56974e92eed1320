"""Policies: which rates hold for which key."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sluice.errors import PolicyError, UnknownKeyError
from sluice.rate import Rate, parse_rates

_WILDCARD = "*"


@dataclass(frozen=True, slots=True)
class Policy:
    """Named and patterned rules, and what holds for all other keys."""

    rules: Mapping[str, tuple[Rate, ...]]
    default: tuple[Rate, ...] | None = None

    def rates_for(self, key: str) -> tuple[Rate, ...]:
        """Return the rates of the rule that governs `key`."""
        if key in self.rules:
            return self.rules[key]
        best: str | None = None
        for pattern in self.rules:
            if not pattern.endswith(_WILDCARD) or not key.startswith(pattern[:-1]):
                continue
            if best is None:
                best = pattern
        if best is not None:
            return self.rules[best]
        if self.default is None:
            raise UnknownKeyError(f"no rule for {key!r} and the policy has no default")
        return self.default


def load_policy(path: Path) -> Policy:
    """Read a policy file.

    Raises:
        PolicyError: If the file is not TOML or a rule is malformed; all malformed rules are named at once.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as exc:
        raise PolicyError(f"{path.name}: {exc}") from exc
    problems = [f"unknown setting {name!r}" for name in table if name not in ("default", "rules")]
    rules: dict[str, tuple[Rate, ...]] = {}
    for name, text in table.get("rules", {}).items():
        pattern = normalize_key(name)
        if _WILDCARD in pattern[:-1]:
            problems.append(f"rule {name!r}: only the last character may be '*'")
        else:
            rules[pattern] = _rates(text, f"rule {name!r}", problems)
    default = _rates(table["default"], "default", problems) if "default" in table else None
    if problems:
        raise PolicyError(f"{path.name}: " + "; ".join(problems))
    return Policy(rules=rules, default=default)


def normalize_key(key: str) -> str:
    """Return the form of a key or pattern that is compared."""
    return key.strip().casefold()


def _rates(text: str, where: str, problems: list[str]) -> tuple[Rate, ...]:
    try:
        return parse_rates(text)
    except PolicyError as exc:
        problems.append(f"{where}: {exc}")
        return ()
