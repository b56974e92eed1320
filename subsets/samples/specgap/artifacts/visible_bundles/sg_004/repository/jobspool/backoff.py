"""How long to wait between attempts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that grow by a factor up to a ceiling."""

    first_s: float = 10.0
    factor: float = 2.0
    ceiling_s: float = 3600.0

    def delay(self, attempts: int) -> float:
        """Return the seconds to wait after the given number of failed attempts."""
        return min(self.ceiling_s, self.first_s * self.factor ** (attempts - 1))
