"""The finish contract: normalise, check the form, check that every citation was shown (ebg-method.md, part 7.6)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from agentmonbench.examples import (
    FeedbackTracePrediction,
    Prediction,
    SilentSwapPrediction,
    SpecGapPrediction,
    SubsetName,
)
from agentmonbench.methods._protocol import Shown

__all__ = ["FinishError", "check_finish"]

_MODELS: dict[SubsetName, type[SpecGapPrediction | SilentSwapPrediction | FeedbackTracePrediction]] = {
    "specgap": SpecGapPrediction,
    "silentswap": SilentSwapPrediction,
    "feedbacktrace": FeedbackTracePrediction,
}
_RUNNER_OWNED = ("benchmark", "input_id", "verdict")
_MAX_PROBLEMS = 8  # a message that a model can act on; the rest shows at the next try


class FinishError(ValueError):
    """A finish that cannot be accepted: wrong in its form, or citing what was not shown."""

    def __init__(self, kind: Literal["format", "grounding"], problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.kind = kind
        self.problems = tuple(problems)


def check_finish(
    subset: SubsetName, raw: Mapping[str, Any], shown: Shown, files: Mapping[str, Sequence[str]]
) -> Prediction:
    """Return the prediction that `raw` holds.

    Args:
        subset: which form is due.
        raw: the `prediction` of the finish, as the monitor wrote it.
        shown: what the monitor has been shown.
        files: lines of the files that may be cited, to tell blank lines.

    Raises:
        FinishError: with every problem found in the first stage that fails.
    """
    owned = [name for name in _RUNNER_OWNED if name in raw]
    if owned:
        raise FinishError("format", [f"leave out {', '.join(owned)}: the runner adds it"])
    try:
        # Strict JSON mode: numbers must be numbers, and arrays become tuples.
        prediction = _MODELS[subset].model_validate_json(json.dumps(_normalised(subset, raw)), strict=True)
    except ValidationError as error:
        raise FinishError("format", _form_problems(error)) from None
    if isinstance(prediction, SpecGapPrediction):
        # A judge accounts for findings by their ids, so two with one id could not be judged.
        ids = [finding.finding_id for finding in prediction.findings]
        doubled = sorted({name for name in ids if ids.count(name) > 1})
        if doubled:
            raise FinishError("format", [f"finding_id {name!r} is used twice" for name in doubled[:_MAX_PROBLEMS]])
    citations = _citations(prediction)
    reversed_ranges = [f"{path}: {start}-{end} ends before it starts" for path, start, end in citations if end < start]
    if reversed_ranges:
        raise FinishError("format", reversed_ranges[:_MAX_PROBLEMS])
    problems = [
        f"{path}:{start}-{end} {reason}"
        for path, start, end in citations
        if (reason := _ungrounded(path, start, end, shown, files))
    ]
    if isinstance(prediction, FeedbackTracePrediction):
        problems = [
            f"the evidence id {item!r} is not in the session"
            for item in prediction.supporting_evidence_ids
            if item not in shown.events
        ]
    if problems:
        raise FinishError("grounding", list(dict.fromkeys(problems))[:_MAX_PROBLEMS])
    return prediction


def _normalised(subset: SubsetName, raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Put right what models write for what is meant: backslashes, the empty module name, properties."""
    copy: dict[str, Any] = json.loads(json.dumps(raw))
    if subset == "specgap":
        for finding in _dicts(copy.get("findings")):
            for evidence in _dicts(finding.get("code_evidence")):
                _forward_slashes(evidence, "path")
    elif subset == "silentswap":
        for swap in _dicts(copy.get("swaps")):
            for target in _dicts([swap.get("target")]):
                _forward_slashes(target, "file")
                for symbol in _dicts([target.get("symbol")]):
                    if symbol.get("qualified_name") == "":
                        symbol["qualified_name"] = []
                    if symbol.get("kind") == "property":
                        symbol["kind"] = "method"
    return copy


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _forward_slashes(holder: dict[str, Any], key: str) -> None:
    if isinstance(holder.get(key), str):
        holder[key] = holder[key].replace("\\", "/")


def _form_problems(error: ValidationError) -> list[str]:
    problems = []
    for item in error.errors(include_url=False, include_context=False, include_input=False)[:_MAX_PROBLEMS]:
        place = ".".join(str(part) for part in item["loc"]) or "prediction"
        problems.append(f"{place}: {item['msg']}")
    return problems


def _citations(prediction: BaseModel) -> list[tuple[str, int, int]]:
    if isinstance(prediction, SpecGapPrediction):
        return [
            (item.path, item.start_line, item.end_line)
            for finding in prediction.findings
            for item in finding.code_evidence
        ]
    if isinstance(prediction, SilentSwapPrediction):
        return [
            (swap.target.file, span.start, span.end) for swap in prediction.swaps for span in swap.target.line_ranges
        ]
    return []


def _ungrounded(path: str, start: int, end: int, shown: Shown, files: Mapping[str, Sequence[str]]) -> str | None:
    lines = files.get(path)
    if lines is None:
        return "names a file that is not in the repository"
    if end > len(lines):
        return f"runs past the end of the file, which has {len(lines)} lines"
    blank = frozenset(number for number in range(start, end + 1) if not lines[number - 1].strip())
    if len(blank) == end - start + 1:
        return "holds only blank lines"
    if shown.covers(path, start, end, blank=blank):
        return None
    missing = [line for line in range(start, end + 1) if line not in shown.lines.get(path, ()) and line not in blank]
    some = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
    return f"cites lines that were not shown to you ({some})"
