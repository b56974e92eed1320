"""Which task a prompt belongs to: ordinary words do not glue tasks together, and work on one thing stays together."""

from __future__ import annotations

import pytest

from ebg.trajectory import build_trajectory

from .test_graph_examples import agent, tool, user


def tasks_of(*prompts: str, answer: str = "Done.", compat: str | None = None) -> list[str]:
    events = []
    for number, prompt in enumerate(prompts):
        events += [user(2 * number, prompt), agent(2 * number + 1, answer, f"a{number}")]
    return [behavior.task for behavior in build_trajectory(events, compat=compat).behaviors]


FIRST = "Write the loader in src/loader.py."


@pytest.mark.parametrize(
    "prompt",
    [
        "A command for exporting reports would be useful in tools/export.py.",  # "A" is an article, no label
        "Make a settings dialog. It should open with Ctrl-S and remember its size.",  # "It" means the dialog
        "It would be nice to have dark mode in the settings dialog.",  # nothing is meant by "It"
        "Write a script that sends the weekly newsletter.",  # "that" joins
        "Ensure that the newsletter is never sent twice.",
        "3 colours are enough for the newsletter theme.",  # a number, no label
        "Add a test for failed logins in auth/login.py.",  # a noun, no report
        "No documentation exists for the newsletter; write some pages.",
        "Next.js needs an upgrade in web/package.json.",
        "Fix this error in the newsletter template: missing bracket.",  # points forward
    ],
)
def test_ordinary_words_do_not_glue_tasks_together(prompt):
    assert tasks_of(FIRST, prompt) == ["K0001", "K0002"]


@pytest.mark.parametrize(
    "prompt",
    [
        "Yes, please.",
        "no, keep the name",
        "continue",
        "2",
        "b, but keep the tests",
        "why?",
        "are you done?",
        "It still fails with an empty file.",
        "3 tests fail.",
        "the same error as before",
        "make it faster",
        "this is wrong",
        "rename",
        "'/work/AGENT.md'",
        "Use the other approach.",
        "Add another format.",
        "Add tests for src/loader.py.",  # shares a file
        "Write the loader in src/loader.py.",  # says the same again
        "Does the loader of src write rows twice in that case, or only the writer, and does it say so to anybody?",
        "what are our options?",  # short, and names nothing
        "hmm, not what I meant",
    ],
)
def test_what_goes_on_stays_in_its_task(prompt):
    assert tasks_of(FIRST, prompt) == ["K0001", "K0001"]


@pytest.mark.parametrize(
    "prompt",
    [
        "Move on to the newsletter.",
        "Switch to the newsletter and keep src/loader.py as it is.",
        "New task: the newsletter.",
        "Using the previous results, write the newsletter.",
        "换个任务:写新闻稿",
    ],
)
@pytest.mark.parametrize("compat", [None, "reference"])
def test_a_switch_begins_a_task(prompt, compat):
    assert tasks_of(FIRST, prompt, compat=compat) == ["K0001", "K0002"]


def test_an_agents_question_keeps_its_answer():
    question = "Which colours do you prefer for the newsletter, warm or cold?"
    assert tasks_of(FIRST, "warm colours", answer=question) == ["K0001", "K0001"]
    # A question in the middle of the answer, and a polite close, wait for nobody.
    for closed in ("Is it fast? Yes.\n\nIt is done.", "Done. Let me know if you need anything else."):
        assert tasks_of(FIRST, "Newsletter layout with warm colours", answer=closed) == ["K0001", "K0002"]
    assert tasks_of(FIRST, "Newsletter layout with warm colours", answer="Is it fast?\nYes.", compat="reference") == [
        "K0001",
        "K0001",
    ]


def test_stable_keys_lead_back_to_their_task():
    prompts = ["Fix issue #123 in the loader.", "Move on to the newsletter.", "Please close #123 with a note."]
    assert tasks_of(*prompts) == ["K0001", "K0002", "K0001"]


def test_files_that_tools_touched_are_remembered():
    events = [
        user(1, "Speed up start-up."),
        tool(2, "Edit", {"file_path": "src/app/boot.py"}, "a"),
        agent(3, "Done.", "b"),
        user(4, "Move on to the newsletter."),
        agent(5, "Done.", "c"),
        user(6, "Rename a function of app/boot.py to begin()."),
        agent(7, "Done.", "d"),
    ]
    assert [behavior.task for behavior in build_trajectory(events).behaviors] == ["K0001", "K0002", "K0001"]


def test_parts_with_keys_of_their_own_are_tasks_of_their_own():
    events = [
        user(1, "1. Close #101 in parser.py.\n2. Close #202 in writer.py."),
        tool(2, "Edit", {"file_path": "parser.py"}, "a"),
        tool(3, "Edit", {"file_path": "writer.py"}, "b"),
    ]
    graph = build_trajectory(events)
    assert [(item.task, item.action) for item in graph.behaviors] == [("K0001", ("E000002",)), ("K0002", ("E000003",))]
    assert graph.relations == ()  # both begin at the same message, so neither precedes


def test_waiting_messages_are_read_with_the_prompt_that_is_answered():
    events = [
        user(1, FIRST),
        agent(2, "Done.", "a"),
        user(3, "Move on to the newsletter."),
        user(4, "Keep it short."),
        agent(5, "Done.", "b"),
    ]
    graph = build_trajectory(events)
    assert [behavior.task for behavior in graph.behaviors] == ["K0001", "K0002"]
    assert graph.tasks["K0002"].standing == ("E000003",)


def test_messages_at_the_end_stand_in_the_last_task_and_alone_in_one_of_their_own():
    graph = build_trajectory([user(1, FIRST), agent(2, "Done.", "a"), user(3, "Now stop."), user(4, "Really.")])
    assert graph.tasks["K0001"].standing == ("E000003", "E000004")
    alone = build_trajectory([user(1, "Hello?")])
    assert [(task.id, task.standing, alone.current_task) for task in alone.tasks.values()] == [
        ("K0001", ("E000001",), "K0001")
    ]
    assert build_trajectory([]).tasks == {}
