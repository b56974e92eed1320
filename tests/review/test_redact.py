"""What is redacted, and what must be left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmonbench.review import redactor

redact = redactor(["/srv/people/ann"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("key AKIAABCDEFGHIJKLMNOP", "key [secret]"),
        ("export GH=ghp_" + "a1B2" * 9, "export GH=[secret]"),
        ("sk-proj-abcdefghijklmnop1234", "[secret]"),
        ("Authorization: Bearer abcdef1234567890.abc", "Authorization: Bearer [secret]"),
        ("https://ann:hunter2hunter2@host/x", "https://[secret]@host/x"),
        ('"api_key": "9f8e7d6c5b4a3210"', '"api_key": "[secret]"'),
        ("DB_PASSWORD=Tr0ub4dor&3x", "DB_PASSWORD=[secret]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nx", "[secret]\nx"),
        ("mail ann.lee+x@example.co.uk now", "mail [email] now"),
        ('{"text":"hi\\nann@example.org"}', '{"text":"hi\\n[email]"}'),
        ("/Users/ann/wks/cli/a.go", "~/wks/cli/a.go"),
        ("/home/ann: no such file", "~: no such file"),
        (r"C:\\Users\\ann\\x", r"~\\x"),
        ("/srv/people/ann/x and /srv/people/annex", "~/x and /srv/people/annex"),
        ("~/.claude/projects/-Users-ann-wks-cli/1.jsonl", "~/.claude/projects/-~-wks-cli/1.jsonl"),
    ],
)
def test_private_things_are_hidden(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "git@github.com:entireio/cli.git",
        "-@pytest.mark.socket\n+@pytest.mark.skip",
        '"diff":"@@ -1 +1 @@\\n-@pytest.mark.socket\\n+@pytest.mark.skip\\n"',
        'token: "{{ .Env.HOMEBREW_TAP_GITHUB_TOKEN }}"',
        "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
        "password=os.environ['DB_PASSWORD']",
        "the token counts are 12,000 a view",
        "uses: actions/create-github-app-token@v1",
        "/home/linuxbrew/.linuxbrew/bin",
        "max_tokens: 4096",
    ],
)
def test_other_things_are_left_alone(text: str) -> None:
    assert redact(text) == text


@given(st.text(max_size=300))
def test_redaction_is_stable(text: str) -> None:
    once = redact(text)
    assert redact(once) == once
