"""One yes-or-no question about an example: the benchmark's messages, actions and limits with another task.

Only the task text and the form of the answer differ from a prediction, so what is measured is the same way of looking
(specification data-metrics, part 2.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentmonbench import prompts
from agentmonbench._actions import ActionError, Finish, Read, Search, parse_action, parse_prediction
from agentmonbench._compression import Exchange, compress
from agentmonbench._dialogue import Dialogue, StageEnded
from agentmonbench._messages import Fence, RunState, opening_message, system_message
from agentmonbench.errors import AgentMonBenchError, BudgetExceeded, UsageError
from agentmonbench.examples import Example
from agentmonbench.loop import Failure, Limits, Step
from agentmonbench.methods import Method
from agentmonbench.methods._protocol import Workspace
from agentmonbench.monitors import Message, Monitor
from ebg.tokens import estimate

__all__ = ["Answer", "Asked", "ask", "question"]

EXAMPLE_ANSWER = '{"disclose": true, "reason": "text"}'


class Answer(BaseModel):
    """The monitor's answer."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    disclose: bool
    reason: str = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking."""

    answer: Answer | None
    failure: Failure | None
    """Why there is no answer."""
    steps: tuple[Step, ...]


def question() -> str:
    """Return the task text, the same for every subset and method."""
    return files("experiments").joinpath("disclosure.md").read_text(encoding="utf-8").strip()


async def ask(
    example: Example, method: Method, monitor: Monitor, *, limits: Limits, repeat: int = 0, seed: int = 0
) -> Asked:
    """Ask a monitor whether an example holds anything to disclose.

    Raises:
        UsageError: for a wrong option, for example a missing key; no example could succeed.
        BudgetExceeded: when a limit on the whole run ended the work.
    """
    limits = limits.fitted(getattr(monitor, "context_tokens", None), getattr(monitor, "output_tokens", None))
    dialogue = Dialogue(monitor, example.subset, limits, repeat=repeat)
    answer, failure = None, None
    try:
        workspace = method.open(example, budgets=limits.budgets)
        answer = await _Conversation(example, workspace, dialogue, limits, Fence.around(example, seed=seed)).run()
    except (UsageError, BudgetExceeded):
        raise
    except StageEnded as end:
        failure = end.failure
    except Exception as error:  # noqa: BLE001  # the boundary that turns a fault into a record
        code = error.code if isinstance(error, AgentMonBenchError) else "internal_error"
        failure = Failure(code=code, message=f"{type(error).__name__}: {error}")
    return Asked(answer, failure, tuple(dialogue.steps))


class _Conversation:
    def __init__(
        self, example: Example, workspace: Workspace, dialogue: Dialogue, limits: Limits, fence: Fence
    ) -> None:
        self._workspace = workspace
        self._dialogue = dialogue
        self._limits = limits
        self._fence = fence
        self._single = workspace.max_read_ids == 0
        self._repairs = limits.format_repairs
        self._system = system_message(limits, single_turn=self._single)
        # The task stands once, before anything that others wrote.
        task = prompts.text(f"task-{example.subset}")
        self._opening = opening_message(example, workspace, fence).replace(task, question(), 1)
        self._history: list[Exchange] = []
        self._deferred: tuple[str, ...] = ()
        self._read: set[str] = set()

    async def run(self) -> Answer:
        rounds = 1 if self._single else self._limits.rounds
        for round_ in range(1, rounds + 1):
            outcome = await self._turn(round_)
            if isinstance(outcome, Answer):
                return outcome
            if round_ < rounds:
                self._history.append(self._act(outcome))
        raise StageEnded("last_round_requires_finish", f"round {rounds} was the last and had to be a finish")

    async def _turn(self, round_: int) -> Search | Read | Answer:
        """Ask for one action until it is right or the repairs are used up."""
        messages = self._messages(round_)
        tail: list[Message] = []
        for repair in range(1 + self._repairs):
            reply = await self._dialogue.request([*messages, *tail], stage=1, round_=round_, repair=repair)
            try:
                action = self._parse(reply.text)
                outcome = _answer(action) if isinstance(action, Finish) else action
            except ActionError as error:
                self._dialogue.amend(problem=str(error))
                if self._repairs == 0:
                    raise StageEnded("answer_format_retries_exhausted", str(error)) from None
                self._repairs -= 1
                tail = [Message("assistant", reply.text.strip() or "(no text)"), Message("user", self._request(error))]
            else:
                self._dialogue.amend(action=action.canonical())
                return outcome
        raise AssertionError("a correction without a repair left ends the run")

    def _parse(self, text: str) -> Search | Read | Finish:
        if self._single:
            return parse_prediction(text)
        return parse_action(text, max_read_ids=self._workspace.max_read_ids, query_chars=self._limits.query_chars)

    def _request(self, error: ActionError) -> str:
        if error.action != "finish":
            return prompts.fill("repair-action", problem=str(error))
        form = EXAMPLE_ANSWER if self._single else f'{{"action": "finish", "prediction": {EXAMPLE_ANSWER}}}'
        return prompts.fill("repair-finish", problem=str(error), example=form)

    def _messages(self, round_: int) -> list[Message]:
        if self._single:
            return [Message("system", self._system), Message("user", self._opening)]
        fixed = estimate(self._system) + estimate(self._opening)
        if fixed + sum(estimate(exchange.text) for exchange in self._history) >= self._limits.compress_at_tokens:
            target = self._limits.compress_to_tokens
            self._history = compress(self._history, fixed_tokens=fixed, target_tokens=target)
        state = RunState(
            round=round_,
            limits=self._limits,
            max_read_ids=self._workspace.max_read_ids,
            deferred=self._deferred,
            units_read=len(self._read),
            compressed=any(exchange.receipt is not None for exchange in self._history),
        ).text()
        users = [self._opening, *(self._result(exchange) for exchange in self._history)]
        users[-1] = f"{users[-1]}\n\n{state}"
        messages = [Message("system", self._system), Message("user", users[0])]
        for exchange, user in zip(self._history, users[1:], strict=True):
            messages += [Message("assistant", exchange.action.canonical()), Message("user", user)]
        return messages

    def _result(self, exchange: Exchange) -> str:
        if exchange.receipt is not None:
            return exchange.receipt
        name = "search" if isinstance(exchange.action, Search) else "read"
        return f"Result of {name}:\n\n{self._fence.wrap(exchange.result)}"

    def _act(self, action: Search | Read) -> Exchange:
        workspace = self._workspace
        result = workspace.search(action.text) if isinstance(action, Search) else workspace.read(action.ids)
        if isinstance(action, Read):
            done = set(action.ids) - set(result.deferred) if result.error is None else set()
            self._read |= done
            waiting = dict.fromkeys((*self._deferred, *result.deferred))
            self._deferred = tuple(name for name in waiting if name not in done)
        self._dialogue.amend(result=result.text, error=result.error, ids=result.ids, deferred=result.deferred)
        return Exchange(action, result.text, result.ids, result.deferred)


_ITEMS: tuple[Literal["findings", "swaps"], ...] = ("findings", "swaps")


def _answer(finish: Finish) -> Answer:
    """Return the answer in a finish.

    Monitors without a model know only the forms of the subsets: such a prediction discloses when it holds anything.
    """
    raw = finish.prediction
    for name in _ITEMS:
        if set(raw) == {name} and isinstance(raw[name], Sequence):
            return Answer(disclose=bool(raw[name]), reason=f"a prediction with {len(raw[name])} {name}")
    if "verification_point" in raw:
        return Answer(disclose=True, reason=f"a prediction with a point: {raw['verification_point']}")
    try:
        return Answer.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "prediction"
        raise ActionError(f"{place}: {first['msg']}", action="finish") from None
