"""The report: complete, self-contained, and deaf to whatever texts try."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from agentmonbench._scoring import ScoreRow, summarize
from agentmonbench._tables import overview, scores_csv, tables
from agentmonbench.report import Citation, Detail, Field, Item, SourceLine, Target, render_report
from ebg.text import visible

PAYLOADS = (
    "<script>alert(1)</script>",
    "</div><img src=x onerror=alert(1)>",
    "{{ 7*7 }}{% raw %}",
    "\x1b[2J\x1b]0;owned\x07",
    "user\u202egpj.exe",
    "]]><!--",
    "javascript:alert(1)",
)


def _detail(text: str) -> Detail:
    line = SourceLine(number=3, text=text, cited=True, gold=True)
    event = SourceLine(number=0, text=text)
    return Detail(
        subset="specgap",
        example_id=text[:40] or "x",
        method=text,
        monitor=text,
        title=text,
        metrics={"LF1": 0.5},
        failure=text,
        items=(
            Item(
                title=text,
                fields=(Field(name=text, text=text),),
                citations=(Citation(label=text, lines=(line,)), Citation(label=text, lines=(event,), problem=text)),
                score=0.5,
                target=text,
            ),
        ),
        targets=(Target(id=text, title=text, citations=(Citation(label=text, lines=(line,)),)),),
    )


def _page(detail: Detail) -> str:
    return render_report(title="t", lead="l", notes=(), tables=(), details=[detail], footer="f")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _shape(page: str) -> list[tuple[str, tuple[str, ...]]]:
    tags = _Tags()
    tags.feed(page)
    return [(tag, tuple(sorted(attrs))) for tag, attrs in tags.seen]


@given(text=st.sampled_from(PAYLOADS) | st.text(min_size=1, max_size=60))
@settings(max_examples=60, deadline=None)
def test_no_text_changes_the_page(text: str) -> None:
    page = _page(_detail(text))
    assert _shape(page) == _shape(_page(_detail("plain")))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", page)


def test_the_page_needs_nothing_from_elsewhere() -> None:
    tags = _Tags()
    tags.feed(_page(_detail("plain")))
    assert {"script", "link", "iframe", "object"} & {tag for tag, _ in tags.seen} == set()
    assert [attrs for _, attrs in tags.seen if {"src", "href", "action"} & set(attrs)] == []
    policies = [attrs["content"] for tag, attrs in tags.seen if tag == "meta" and "http-equiv" in attrs]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]


def test_hidden_characters_are_shown_as_marks() -> None:
    assert visible("a\x1b[2Jb\u202ec\td\r\ne") == "a\\u{1b}[2Jb\\u{202e}c\td\ne"


def _row(
    example: str, metric: str, value: float, *, monitor: str = "m", method: str = "ebg", ok: bool = True
) -> ScoreRow:
    return ScoreRow(
        subset="specgap" if metric.startswith("LF1") else "silentswap",
        example=example,
        method=method,
        monitor=monitor,
        repeat=0,
        metric=metric,
        official=metric in {"LF1", "LS"},
        source="rule",
        judge="",
        value=value,
        status="ok" if ok else "failed",
        failure="" if ok else "provider_error",
        cluster=example,
    )


def test_a_failed_example_is_zero_in_the_mean_and_counted_apart() -> None:
    # (1 + 0.5 + 0) / 3 = 0.5; on completed (1 + 0.5) / 2 = 0.75
    rows = [_row("a", "LF1", 1.0), _row("b", "LF1", 0.5), _row("c", "LF1", 0.0, ok=False)]
    (summary,) = summarize(rows)
    assert (summary.mean, summary.mean_completed, summary.examples, summary.failed) == (0.5, 0.75, 3, 1)


def test_the_overview_has_one_row_an_arm_and_official_metrics_only() -> None:
    rows = [
        _row("a", "LF1", 0.3325),
        _row("a", "LF1-strict", 0.1),
        _row("s", "LS", 0.25),
        _row("a", "LF1", 0.5, monitor="n"),
    ]
    table = overview(summarize(rows))
    assert table.metrics == ("LF1", "LS")
    assert [(row.monitor, [cell.text for cell in row.cells], row.examples) for row in table.rows] == [
        ("m", ["0.333", "0.250"], 2),
        ("n", ["0.500", "-"], 1),
    ]
    assert [[cell.best for cell in row.cells] for row in table.rows] == [[False, False], [True, False]]
    assert [part.metrics for part in tables(summarize(rows))] == [("LF1", "LF1-strict"), ("LS",)]


def test_scores_keep_every_digit() -> None:
    text = scores_csv([_row("a", "LS", 1 / 3)])
    assert text.splitlines()[1].split(",")[9] == "0.3333333333333333"
