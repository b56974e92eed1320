"""From an example, its gold and its scored prediction to what the report shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agentmonbench.examples import (
    CodeEvidence,
    Example,
    FeedbackTraceGold,
    FeedbackTracePrediction,
    Gold,
    GoldSwap,
    Prediction,
    SilentSwapGold,
    SilentSwapPrediction,
    SpecGapGold,
    SpecGapPrediction,
    Swap,
)
from agentmonbench.metrics import (
    FeedbackTraceDetails,
    ScoreDetails,
    SilentSwapDetails,
    SpecGapDetails,
    gold_targets,
)
from agentmonbench.report._details import Citation, Field, Item, SourceLine, Target

__all__ = ["build_items", "title_of"]

CONTEXT = 2
"""Lines shown before and after a citation."""

MAX_LINES = 400
"""Lines of one citation that are shown; a citation of a whole large file says how many more there are."""

Places = Mapping[str, Sequence[tuple[int, int]]]
"""Line ranges by path: a predicted range may be as wide as an integer can say, so lines are never listed."""


def title_of(example: Example) -> str:
    """Return a short name of what the example is about: the document's first heading, or the first prompt."""
    if example.document is not None:
        for line in example.document.text.splitlines():
            if line.startswith("#"):
                return line.lstrip("#").strip()
    for event in example.events:
        if event.event_type == "user_prompt":
            first = event.content.strip().partition("\n")[0]
            return first if len(first) <= 90 else f"{first[:89]}…"
    return example.id


def build_items(
    example: Example, gold: Gold, prediction: Prediction | None, details: ScoreDetails | None
) -> tuple[tuple[Item, ...], tuple[Target, ...]]:
    """Return the monitor's items and the gold items, each with its text, its citations and its match by rule.

    Args:
        example: what was visible.
        gold: the answers.
        prediction: what the monitor said, or None when it failed.
        details: what led to the rule scores, or None when nothing was scored.
    """
    match gold:
        case SpecGapGold():
            found = prediction if isinstance(prediction, SpecGapPrediction) else SpecGapPrediction(findings=())
            return _specgap(example, gold, found, details if isinstance(details, SpecGapDetails) else None)
        case SilentSwapGold():
            swapped = prediction if isinstance(prediction, SilentSwapPrediction) else SilentSwapPrediction(swaps=())
            return _silentswap(example, gold, swapped, details if isinstance(details, SilentSwapDetails) else None)
        case FeedbackTraceGold():
            point = prediction if isinstance(prediction, FeedbackTracePrediction) else None
            return _feedbacktrace(example, gold, point, details if isinstance(details, FeedbackTraceDetails) else None)


def _specgap(
    example: Example, gold: SpecGapGold, prediction: SpecGapPrediction, details: SpecGapDetails | None
) -> tuple[tuple[Item, ...], tuple[Target, ...]]:
    source = _Source(example)
    places = gold_targets(gold)
    gold_lines = _by_path((place.path, lines) for group in places.values() for place in group for lines in place.ranges)
    cited_lines = _by_path(
        (cited.path, (cited.start_line, cited.end_line))
        for finding in prediction.findings
        for cited in finding.code_evidence
    )
    matches = {match.finding: match for match in details.location.matches} if details else {}
    scores = {match.condition_id: match.score for match in matches.values()}

    def cite(cited: CodeEvidence) -> Citation:
        return source.cite(
            cited.path, cited.start_line, cited.end_line, cited.symbol, cited=cited_lines, gold=gold_lines
        )

    items = tuple(
        Item(
            title=finding.claim,
            fields=(
                Field(name="Question", text=finding.verification_question),
                Field(name="Why it matters", text=finding.why_important),
                Field(name="Downstream", text=finding.downstream_impact),
            ),
            citations=tuple(cite(cited) for cited in finding.code_evidence),
            score=matches[index].score if index in matches else None,
            target=matches[index].condition_id if index in matches else None,
        )
        for index, finding in enumerate(prediction.findings)
    )
    targets = tuple(
        Target(
            id=condition.condition_id,
            title=condition.normalized_condition,
            citations=tuple(
                source.cite(place.path, start, end, place.symbol, cited=cited_lines, gold=gold_lines)
                for place in places[condition.condition_id]
                for start, end in place.ranges
            ),
            score=scores.get(condition.condition_id, 0.0),
            scorable=bool(places[condition.condition_id]),
        )
        for condition in gold.conditions
    )
    return items, targets


def _silentswap(
    example: Example, gold: SilentSwapGold, prediction: SilentSwapPrediction, details: SilentSwapDetails | None
) -> tuple[tuple[Item, ...], tuple[Target, ...]]:
    source = _Source(example)
    gold_lines = _by_path(_swap_lines(gold.swaps))
    cited_lines = _by_path(_swap_lines(prediction.swaps))
    # An assignment that scores 0 only fills the matching up; it is no hit.
    matches = {match.predicted: match for match in details.localization.matches if match.score > 0} if details else {}
    scores = {match.gold: match.score for match in matches.values()}

    def cite(swap: Swap | GoldSwap) -> tuple[Citation, ...]:
        target = swap.target if isinstance(swap, Swap) else swap.localization
        symbol = ".".join(target.symbol.qualified_name)
        return tuple(
            source.cite(target.file, lines.start, lines.end, symbol, cited=cited_lines, gold=gold_lines)
            for lines in target.line_ranges
        )

    items = tuple(
        Item(
            title=swap.code_change,
            fields=(
                Field(name="Mechanism", text=swap.swap_type),
                Field(name="When", text=swap.trigger_condition),
                Field(name="By the document", text=swap.behavioral_effect.before),
                Field(name="In the code", text=swap.behavioral_effect.after),
            ),
            citations=cite(swap),
            score=matches[index].score if index in matches else None,
            target=f"swap {matches[index].gold + 1}" if index in matches else None,
        )
        for index, swap in enumerate(prediction.swaps)
    )
    targets = tuple(
        Target(
            id=f"swap {index + 1}",
            title=f"{swap.swap_type}: {swap.original_semantics} → {swap.swapped_semantics}",
            citations=cite(swap),
            score=scores.get(index, 0.0),
        )
        for index, swap in enumerate(gold.swaps)
    )
    return items, targets


def _feedbacktrace(
    example: Example,
    gold: FeedbackTraceGold,
    prediction: FeedbackTracePrediction | None,
    details: FeedbackTraceDetails | None,
) -> tuple[tuple[Item, ...], tuple[Target, ...]]:
    events = {event.evidence_id: event for event in example.events if event.evidence_id}
    cited = prediction.supporting_evidence_ids if prediction else ()

    def cite(evidence_id: str) -> Citation:
        event = events.get(evidence_id)
        if event is None:
            return Citation(label=evidence_id, lines=(), problem="no such event")
        return Citation(
            label=f"{evidence_id} · turn {event.turn_number} · {event.tool_name or event.event_type}",
            lines=(
                SourceLine(
                    number=0,
                    text=event.content,
                    cited=evidence_id in cited,
                    gold=evidence_id in gold.evidence_ids,
                ),
            ),
        )

    score = details.evidence.value if details else 0.0
    items = (
        (
            Item(
                title=prediction.verification_point,
                fields=(Field(name="Criticality", text=prediction.criticality),),
                citations=tuple(cite(evidence_id) for evidence_id in prediction.supporting_evidence_ids),
                score=score if score else None,
                target="decision" if score else None,
            ),
        )
        if prediction
        else ()
    )
    target = Target(
        id="decision",
        title=gold.verification_point,
        citations=tuple(cite(evidence_id) for evidence_id in gold.evidence_ids),
        score=score,
    )
    return items, (target,)


class _Source:
    """The visible files by line."""

    def __init__(self, example: Example) -> None:
        self._files = example.files
        self._lines: dict[str, list[str]] = {}

    def cite(self, path: str, start: int, end: int, symbol: str, *, cited: Places, gold: Places) -> Citation:
        label = f"{path}:{start}-{end}" + (f" {symbol}" if symbol else "")
        if path not in self._files:
            return Citation(label=label, lines=(), problem="no such file")
        if path not in self._lines:
            self._lines[path] = self._files[path].decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        lines = self._lines[path]
        if start > len(lines) or start > end:
            return Citation(label=label, lines=(), problem=f"the file has {len(lines)} lines")
        last = min(end, len(lines), start + MAX_LINES - 1)
        return Citation(
            label=label,
            lines=tuple(
                SourceLine(
                    number=number,
                    text=lines[number - 1],
                    cited=_inside(cited, path, number),
                    gold=_inside(gold, path, number),
                )
                for number in range(max(1, start - CONTEXT), min(len(lines), last + CONTEXT) + 1)
            ),
            problem=f"{end - last} more lines" if last < min(end, len(lines)) else None,
        )


def _swap_lines(swaps: Iterable[Swap | GoldSwap]) -> Iterable[tuple[str, tuple[int, int]]]:
    for swap in swaps:
        target = swap.target if isinstance(swap, Swap) else swap.localization
        for lines in target.line_ranges:
            yield target.file, (lines.start, lines.end)


def _by_path(places: Iterable[tuple[str, tuple[int, int]]]) -> Places:
    grouped: dict[str, list[tuple[int, int]]] = {}
    for path, lines in places:
        grouped.setdefault(path, []).append(lines)
    return grouped


def _inside(places: Places, path: str, number: int) -> bool:
    return any(start <= number <= end for start, end in places.get(path, ()))
