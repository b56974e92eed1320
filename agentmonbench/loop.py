"""One example, one method, one monitor: search, read, finish (specification ebg-method.md, part 7).

A run never raises for a fault of the monitor, the provider or the method: what went wrong is the record's `failure`.
Only what concerns the whole run comes out: a wrong option (UsageError), an exhausted budget, a cancellation.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import asdict
from typing import Literal

from agentmonbench import prompts
from agentmonbench._actions import ActionError, Finish, Read, Search, parse_action, parse_prediction
from agentmonbench._compression import Exchange, compress
from agentmonbench._dialogue import CONTEXT_EXCEEDED, Dialogue, Repairs, StageEnded
from agentmonbench._grounding import FinishError, check_finish
from agentmonbench._limits import Limits, Protocol, limits_for
from agentmonbench._messages import Fence, RunState, opening_message, second_stage_message, system_message
from agentmonbench._record import FAILURE_CODES, Failure, Record, SecondStage, Span, Step, Totals
from agentmonbench.errors import AgentMonBenchError, BudgetExceeded, UsageError
from agentmonbench.examples import Example, Prediction
from agentmonbench.methods._protocol import Method, Shown, Workspace
from agentmonbench.monitors._protocol import Message, Monitor, Reply
from ebg.errors import EbgError
from ebg.tokens import estimate

__all__ = [
    "FAILURE_CODES",
    "Failure",
    "Limits",
    "Protocol",
    "Record",
    "SecondStage",
    "Span",
    "Step",
    "Totals",
    "limits_for",
    "run_example",
]


async def run_example(
    example: Example,
    method: Method,
    monitor: Monitor,
    *,
    limits: Limits | None = None,
    protocol: Protocol = "fair",
    second_stage: SecondStage = "all",
    repeat: int = 0,
    seed: int = 0,
) -> Record:
    """Run a monitor over an example and return the record, finished or failed.

    Args:
        example: what may be seen.
        method: how it is shown.
        monitor: who answers.
        limits: what the run may use; by default those of the subset under `protocol`. They are lowered to the
            monitor's `context_tokens` and `output_tokens`, if it has them.
        protocol: `fair`, or `paper` for the original rules (see `limits_for`).
        second_stage: which methods get the second stage of SilentSwap.
        repeat: index of the repetition, 0-based; handed to the monitor.
        seed: seed of the run; part of the data fence's marker.

    Raises:
        UsageError: for a wrong option, for example a missing key; no example could succeed.
        BudgetExceeded: when a limit on the whole run ended the work.
    """
    limits = (limits or limits_for(example.subset, protocol)).fitted(
        getattr(monitor, "context_tokens", None), getattr(monitor, "output_tokens", None)
    )
    run = _Run(example, method, Dialogue(monitor, example.subset, limits, repeat=repeat), limits, seed)
    run.prediction, run.failure = await _settle(run.first_stage())
    if run.prediction is not None and _wants_second(example, method, second_stage):
        run.second_prediction, run.second_failure = await _settle(run.second_stage())
    steps = tuple(run.dialogue.steps)
    return Record(
        example_id=example.id,
        subset=example.subset,
        method=method.name,
        monitor=monitor.name,
        protocol=protocol,
        second_stage=second_stage,
        repeat=repeat,
        seed=seed,
        limits=asdict(limits),
        prompts={name: prompts.sha256(name) for name in sorted(run.dialogue.prompt_names)},
        system=run.system,
        opening=run.opening,
        initial_lines=run.initial_lines,
        shown_events=run.events,
        steps=steps,
        prediction=run.prediction,
        failure=run.failure,
        second_opening=run.second_opening,
        second_prediction=run.second_prediction,
        second_failure=run.second_failure,
        totals=Totals.of(steps),
    )


def _wants_second(example: Example, method: Method, second_stage: SecondStage) -> bool:
    offered = second_stage == "all" or (second_stage == "ebg" and method.name == "ebg")
    return offered and example.subset == "silentswap"


async def _settle(stage: Awaitable[Prediction]) -> tuple[Prediction | None, Failure | None]:
    """Return what a stage came to: its prediction, or why there is none."""
    try:
        return await stage, None
    except (UsageError, BudgetExceeded):
        raise
    except StageEnded as end:
        return None, end.failure
    except EbgError as error:
        return None, Failure(code="unreadable_input", message=str(error))
    except Exception as error:  # noqa: BLE001  # the boundary that turns a fault into a record
        code = error.code if isinstance(error, AgentMonBenchError) else "internal_error"
        return None, Failure(code=code, message=f"{type(error).__name__}: {error}")


class _Run:
    """State of one run; `run_example` drives it."""

    def __init__(self, example: Example, method: Method, dialogue: Dialogue, limits: Limits, seed: int) -> None:
        self.dialogue = dialogue
        self.system = ""
        self.opening = ""
        self.initial_lines: tuple[Span, ...] = ()
        self.events: tuple[str, ...] = ()
        self.prediction: Prediction | None = None
        self.failure: Failure | None = None
        self.second_opening: str | None = None
        self.second_prediction: Prediction | None = None
        self.second_failure: Failure | None = None
        self._example = example
        self._method = method
        self._limits = limits
        self._fence = Fence.around(example, seed=seed)
        self._history: list[Exchange] = []
        self._deferred: tuple[str, ...] = ()
        self._read: set[str] = set()

    async def first_stage(self) -> Prediction:
        if not self._method.supports(self._example):
            name, subset = self._method.name, self._example.subset
            raise StageEnded("unsupported", f"method {name!r} does not apply to {subset} examples")
        self._workspace: Workspace = self._method.open(self._example, budgets=self._limits.budgets)
        self.initial_lines = _new_spans(self._workspace.shown, {})
        self.events = tuple(sorted(self._workspace.shown.events))
        single_turn = self._workspace.max_read_ids == 0
        self.system = system_message(self._limits, single_turn=single_turn)
        self.opening = opening_message(self._example, self._workspace, self._fence)
        self.dialogue.prompt_names |= {
            "protocol-single" if single_turn else "protocol",
            f"task-{self._example.subset}",
        }
        repairs = Repairs(self._limits.format_repairs, self._limits.grounding_repairs)
        if single_turn:
            return await self._single_turn(self.system, self.opening, self._workspace.shown, repairs, stage=1)
        return await self._rounds(repairs)

    async def second_stage(self) -> Prediction:
        """Ask again with the whole source of the leading files and of those that were read (part 7.9)."""
        workspace = self._workspace
        paths = {*workspace.leading_files[: self._limits.stage_two_files], *workspace.shown.lines}
        sources = [(path, workspace.files[path]) for path in sorted(paths)]
        self.second_opening = second_stage_message(self._example, sources, self._fence)
        self.dialogue.prompt_names |= {"protocol-single", "second-stage"}
        shown = Shown({path: set(range(1, len(lines) + 1)) for path, lines in sources})
        system = system_message(self._limits, single_turn=True)
        repairs = Repairs(self._limits.stage_two_repairs, self._limits.grounding_repairs)
        return await self._single_turn(system, self.second_opening, shown, repairs, stage=2)

    async def _single_turn(
        self, system: str, opening: str, shown: Shown, repairs: Repairs, *, stage: Literal[1, 2]
    ) -> Prediction:
        """Ask for a bare prediction until it is right or the repairs are used up."""
        messages = [Message("system", system), Message("user", opening)]
        tail: list[Message] = []
        for repair in range(1 + repairs.format + repairs.grounding):
            try:
                reply = await self.dialogue.request([*messages, *tail], stage=stage, round_=1, repair=repair)
            except StageEnded as end:
                raise _provider_limit(end) from end
            try:
                finish = parse_prediction(reply.text)
                prediction = check_finish(self._example.subset, finish.prediction, shown, self._workspace.files)
            except (ActionError, FinishError) as error:
                tail = self.dialogue.correction(error, reply, repairs, finish_due=True, as_action=False)
            else:
                self.dialogue.amend(action=finish.canonical())
                return prediction
        raise AssertionError("a correction without a repair left ends the stage")

    async def _rounds(self, repairs: Repairs) -> Prediction:
        for round_ in range(1, self._limits.rounds + 1):
            outcome = await self._turn(round_, repairs)
            if not isinstance(outcome, Search | Read):
                return outcome
            if round_ < self._limits.rounds:
                self._history.append(self._act(outcome))
        raise StageEnded(
            "last_round_requires_finish", f"round {self._limits.rounds} was the last and had to be a finish"
        )

    async def _turn(self, round_: int, repairs: Repairs) -> Search | Read | Prediction:
        """Ask for one action until it is right or the repairs are used up."""
        tail: list[Message] = []
        finish_due = False
        for repair in range(1 + repairs.format + repairs.grounding):
            reply = await self._ask(round_, tail, repair)
            try:
                action = self._parse(reply.text, finish_due=finish_due)
                outcome: Search | Read | Prediction
                if isinstance(action, Finish):
                    workspace = self._workspace
                    outcome = check_finish(self._example.subset, action.prediction, workspace.shown, workspace.files)
                else:
                    outcome = action
            except (ActionError, FinishError) as error:
                finish_due = finish_due or isinstance(error, FinishError) or error.action == "finish"
                tail = self.dialogue.correction(error, reply, repairs, finish_due=finish_due, as_action=True)
            else:
                self.dialogue.amend(action=action.canonical())
                return outcome
        raise AssertionError("a correction without a repair left ends the stage")

    def _parse(self, text: str, *, finish_due: bool) -> Search | Read | Finish:
        limits = self._limits
        action = parse_action(text, max_read_ids=self._workspace.max_read_ids, query_chars=limits.query_chars)
        if finish_due and not isinstance(action, Finish):
            raise ActionError("the correction of a finish must be a finish", action="finish")
        return action

    async def _ask(self, round_: int, tail: list[Message], repair: int) -> Reply:
        """Send the conversation; if the provider finds it too long, once more with everything reducible reduced."""
        compressed = self._compress(force=False)
        try:
            messages = [*self._conversation(round_), *tail]
            return await self.dialogue.request(messages, stage=1, round_=round_, repair=repair, compressed=compressed)
        except StageEnded as end:
            if end.failure.code != CONTEXT_EXCEEDED or not self._compress(force=True):
                raise _provider_limit(end) from end
        try:
            messages = [*self._conversation(round_), *tail]
            return await self.dialogue.request(messages, stage=1, round_=round_, repair=repair, compressed=True)
        except StageEnded as end:
            raise _provider_limit(end) from end

    def _compress(self, *, force: bool) -> bool:
        """Reduce old results when the prompt has grown too large; return whether any was."""
        fixed = estimate(self.system) + estimate(self.opening)
        size = fixed + sum(estimate(exchange.text) for exchange in self._history)
        if not force and size < self._limits.compress_at_tokens:
            return False
        target = 0 if force else self._limits.compress_to_tokens
        reduced = compress(self._history, fixed_tokens=fixed, target_tokens=target)
        changed = reduced != self._history
        self._history = reduced
        return changed

    def _conversation(self, round_: int) -> list[Message]:
        state = RunState(
            round=round_,
            limits=self._limits,
            max_read_ids=self._workspace.max_read_ids,
            deferred=self._deferred,
            units_read=len(self._read),
            compressed=any(exchange.receipt is not None for exchange in self._history),
        ).text()
        users = [self.opening, *(self._result_text(exchange) for exchange in self._history)]
        users[-1] = f"{users[-1]}\n\n{state}"
        messages = [Message("system", self.system), Message("user", users[0])]
        for exchange, user in zip(self._history, users[1:], strict=True):
            messages += [Message("assistant", exchange.action.canonical()), Message("user", user)]
        return messages

    def _result_text(self, exchange: Exchange) -> str:
        if exchange.receipt is not None:
            return exchange.receipt
        name = "search" if isinstance(exchange.action, Search) else "read"
        return f"Result of {name}:\n\n{self._fence.wrap(exchange.result)}"

    def _act(self, action: Search | Read) -> Exchange:
        workspace = self._workspace
        before = {path: set(lines) for path, lines in workspace.shown.lines.items()}
        result = workspace.search(action.text) if isinstance(action, Search) else workspace.read(action.ids)
        if isinstance(action, Read):
            done = set(action.ids) - set(result.deferred) if result.error is None else set()
            self._read |= done
            waiting = dict.fromkeys((*self._deferred, *result.deferred))
            self._deferred = tuple(name for name in waiting if name not in done)
        self.dialogue.amend(
            result=result.text,
            error=result.error,
            ids=result.ids,
            deferred=result.deferred,
            shown_lines=_new_spans(workspace.shown, before),
        )
        return Exchange(action, result.text, result.ids, result.deferred)


def _provider_limit(end: StageEnded) -> StageEnded:
    if end.failure.code != CONTEXT_EXCEEDED:
        return end
    return StageEnded("context_unfit/provider_limit_mismatch", end.failure.message)


def _new_spans(shown: Shown, before: Mapping[str, set[int]]) -> tuple[Span, ...]:
    """Return the lines that are shown now and were not before, as maximal runs by path and line."""
    spans: list[Span] = []
    for path in sorted(shown.lines):
        runs: list[list[int]] = []
        for line in sorted(shown.lines[path] - before.get(path, set())):
            if runs and line == runs[-1][1] + 1:
                runs[-1][1] = line
            else:
                runs.append([line, line])
        spans += [Span(path=path, start=start, end=end) for start, end in runs]
    return tuple(spans)
