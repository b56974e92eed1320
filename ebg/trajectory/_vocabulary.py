"""The words by which prompts are read, as data: English first, with Chinese, Japanese and a few other languages.

Every rule that reads words has its pattern here and nowhere else. `R_` patterns are the reference rules, as far as the
specification tells them (part 4.3 of ebg-method); `T_` patterns replace them by default where ordinary words would
glue tasks together (part 10.6, items 43 and 44).
"""

from __future__ import annotations

import re

__all__ = [
    "CONTEXT_NOUN",
    "DUMMY_IT",
    "EARLIER_RESULT",
    "FOLLOW_UP",
    "ITEM_LABEL",
    "ONLY_LABEL",
    "ONLY_QUESTION_WORD",
    "OPERATIONS",
    "POINTS_FORWARD",
    "PROGRESS",
    "RESUME",
    "R_ASKS",
    "R_CONTEXT",
    "R_LABEL",
    "R_OUTCOME",
    "SHELL_OPERATIONS",
    "STOP_WORDS",
    "SWITCH",
    "TOOL_OPERATIONS",
    "T_ASKS",
    "T_ELLIPTIC",
    "T_FOLLOW_UP",
    "T_LABEL",
    "T_NOT_FOLLOW_UP",
    "T_OUTCOME",
    "T_POLITE_END",
    "T_PRONOUN",
]


# --- Operations of a text (part 4.2, step 2) -----------------------------------------------------------------------

OPERATIONS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "publish",
        re.compile(
            r"\b(?:commit|push|deploy|publish|release|merge)(?:s|ed|ing)?\b|\bopen (?:a |the )?(?:pr|pull request)\b"
            r"|提交|推送|部署|发布",
            re.IGNORECASE,
        ),
    ),
    (
        "verify",
        re.compile(
            r"\b(?:test|check|lint|validat|verif|build|benchmark|typecheck)(?:e|y|ies|ied|es|s|ed|ing)?\b"
            r"|测试|检查|验证|构建",
            re.IGNORECASE,
        ),
    ),
    (
        "modify",
        re.compile(
            r"\b(?:add|chang|fix|implement|remov|writ|renam|updat|creat|delet|refactor|replac|mov|edit|modif|rewrit"
            r"|mak|convert|extract)(?:e|y|ies|ied|es|s|ed|ing)?\b|\bwritten\b|\bwrote\b|\bmade\b"
            r"|添加|增加|修改|修复|实现|删除|移除|编写|更新|重构",
            re.IGNORECASE,
        ),
    ),
    (
        "inspect",
        re.compile(
            r"\b(?:read|review|search|find|compar|inspect|analy[sz]|investigat|explain|look|list|show)"
            r"(?:e|es|s|ed|ing)?\b|\bfound\b|阅读|查看|审查|搜索|查找|比较|分析",
            re.IGNORECASE,
        ),
    ),
)

TOOL_OPERATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # Longer suffixes first: `notebookedit` ends in `edit`, and `read` must not win over `thread`.
    ("inspect", ("read", "grep", "glob", "search", "webfetch", "websearch", "read_file")),
    ("modify", ("notebookedit", "edit", "write", "create", "delete", "apply_patch", "str_replace", "write_file")),
)

SHELL_OPERATIONS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("publish", re.compile(r"\bgit\s+(?:commit|push|tag)\b|\bgh\s+(?:pr|release)\s+create\b|\btwine upload\b")),
    (
        "verify",
        re.compile(
            r"\bpytest\b|\bruff\b|\bmypy\b|\bflake8\b|\btox\b|\bunittest\b|\beslint\b|\btsc\b"
            r"|\b(?:npm|pnpm|yarn|bun|cargo|go|make|mvn|gradle)\s+(?:run\s+)?(?:test|check|lint|build|vet|verify)\b"
        ),
    ),
    ("modify", re.compile(r"(?:^|[;&|]\s*)(?:rm|mv|cp|mkdir|touch|sed\s+-i|patch|git\s+(?:add|apply|rm|mv))\b")),
)

STOP_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
    the and for with that this from are was were you your our has have had can could should would will not but all
    any its into out also then than when where which what who how why does did done please just now only one two
    use used using need needs want let make sure get got about after before there here they them their more most
    some such very code file files line lines add fix change run new work works working
    """,
    )
)

# --- Scopes of tasks (part 4.3) --------------------------------------------------------------------------------------

SWITCH = re.compile(
    r"\b(?:shift (?:your |our |the )?(?:attention|focus)|mov(?:e|ing) on to|switch(?:ing)? (?:over )?to"
    r"|start(?:ing)? (?:on )?(?:a|another) (?:new|different|separate) (?:task|topic|feature|issue)"
    r"|new (?:task|topic)\s*[:.]"
    r"|(?:on|for) (?:a|an) (?:unrelated|different|separate) (?:note|topic|task))"
    r"|换个(?:任务|话题)|切换到|转到|开始(?:一个)?新(?:的)?任务|次のタスク|別のタスク|新しいタスク",
    re.IGNORECASE,
)

EARLIER_RESULT = re.compile(
    r"\b(?:based on|using|from|according to)\s+(?:the\s+|your\s+|our\s+)?(?:previous|earlier|prior)\s+"
    r"(?:results?|decisions?|choices?|outputs?|artifacts?|constraints?)\b"
    r"|(?:根据|基于|使用)(?:之前|先前|上次)的?(?:结果|决定|选择|输出|产物|约束)",
    re.IGNORECASE,
)

FOLLOW_UP = re.compile(
    r"\s*(?:(?:yes|yeah|yep|yup|no|nope|ok|okay|sure|exactly|correct|right|great|perfect|good|do it|do that|go ahead"
    r"|go for it|continue|proceed|carry on|keep going|next|and|also|then|thanks|thank you|implement \d+"
    r"|ja|nein|weiter|oui|non|sí|si|vale|sim|não|да|нет|продолжай)\b"
    r"|好的?|是的?|不是?|可以|继续|下一步|然后|另外|还有|谢谢|对|行|はい|いいえ|続けて|次|そして|また|ありがとう|네|아니요|계속)",
    re.IGNORECASE,
)
T_NOT_FOLLOW_UP = re.compile(
    r"\s*(?:next\.\w"
    r"|no (?!,|need|thanks|don|do not|just|wait|keep|leave|use|it\b|that\b|this\b|i\b|you\b|we\b|not\b|please)"
    r"|(?:right|good|great|correct|perfect)[- ](?!,|now|but|and|so|i\b|please|let)\w)",
    re.IGNORECASE,
)
"""`No logging exists ...` and `Next.js ...` open no follow-up."""

R_LABEL = re.compile(r"\s*[0-9a-e]\b", re.IGNORECASE)
_ONE_LABEL = r"(?:(?:option|item|point|choice|number)\s+)?#?(?:\d{1,2}|[a-e])\)?"
T_LABEL = re.compile(
    rf"\s*{_ONE_LABEL}(?:\s*(?:,|and|&|\+|or)\s*{_ONE_LABEL})*\s*(?:[.!]?\s*$|[,;:]\s)",
    re.IGNORECASE,
)
"""A label answers a choice only when it stands alone: `2`, `a and c`, `b, but keep the tests`."""

T_FOLLOW_UP = re.compile(
    r"\s*(?:(?:hm+|u+h+m*|ugh+|a+h+|oh|eh+|lol|lgtm|wait|well|but|or|so|because|i mean|actually|never ?mind|hold on"
    r"|not quite|almost|still)\b|\.{2,}|…)",
    re.IGNORECASE,
)
"""Openings of talk that goes on."""

T_ELLIPTIC = re.compile(r"\s*(?:\w{1,20}(?:\s+\w{1,20})?|['\"`]?[\w.~/-]+/[\w./-]+['\"`]?)\s*[.!?]*\s*$")
"""One or two words, or a bare path: they say something only to one who knows what was said before."""

ONLY_QUESTION_WORD = re.compile(
    r"\s*(?:why|how|what|when|where|who|which|为什么|怎么|どうして|なぜ)\s*[?\uff1f!.]*\s*$", re.IGNORECASE
)

PROGRESS = re.compile(
    r"\s*(?:(?:so,?\s+)?(?:are you (?:done|finished|still)|is it (?:done|finished|ready)"
    r"|how(?:'s| is| are) (?:it|things|that|the \w+) (?:going|coming)"
    r"|what(?:'s| is) the (?:status|progress)|any (?:progress|update|news)|status\b"
    r"|did (?:it|that) (?:work|finish|pass))|进展如何|进度|完成了吗|好了吗|進捗|終わりましたか)",
    re.IGNORECASE,
)

R_ASKS = re.compile(
    r"[?\uff1f]\s*$|\bwhich option\b|\blet me know\b|\bwant me to\b|\bshould i\b|\bshall i\b|\bwould you like\b"
    r"|请告诉我|需要我",
    re.IGNORECASE | re.MULTILINE,
)
T_ASKS = re.compile(
    r"[?\uff1f]['\")*_`\]]*\s*\Z|\bwhich (?:option|one|approach)\b|\bwant me to\b|\bshould i\b|\bshall i\b"
    r"|\bwould you (?:like|prefer)\b"
    r"|\blet me know (?:which|whether|if you(?:'d| would)? (?:like|want|prefer)|what|how)\b"
    r"|\bplease (?:provide|specify|tell|confirm|clarify|choose|share)\b"
    r"|请告诉我|需要我|どちら|しましょうか",
    re.IGNORECASE,
)
T_POLITE_END = re.compile(r"\blet me know if (?:you(?:'d)? (?:need|have)|there(?:'s| is)|anything)", re.IGNORECASE)
"""A polite close is no question."""

R_OUTCOME = re.compile(
    r"\b(?:fail(?:s|ed|ing)?|still (?:broken|not|fails?|the same)|error persists"
    r"|(?:doesn't|does not|isn't|not) work(?:ing)?|broken|crash(?:es|ed)?|same (?:error|problem|issue))\b"
    r"|失败|还是不行|仍然报错|エラー|失敗|動かない",
    re.IGNORECASE,
)
T_OUTCOME = re.compile(
    r"\bstill (?:broken|not|fails?|failing|the same|see(?:ing)?|get(?:ting)?|happen(?:s|ing)?|wrong|crash\w*)\b"
    r"|\berror persists\b|\bsame (?:error|problem|issue)\b"
    r"|\b(?:it|that|this|they|which|tests?|build|ci|app|page|server|script|command)\s+(?:(?:also|now|just|again)\s+)?"
    r"(?:(?:doesn't|does not|didn't|did not|isn't|is not|won't)\s+work(?:ing)?"
    r"|(?:is |are )?(?:broken|failing|fail(?:s|ed)?)|crash(?:es|ed))\b"
    r"|\b(?:fail(?:s|ed|ing)?|crash(?:es|ed)|broken)\b\s*(?:\Z|[.,;:!?\n]|(?:with|when|on|again|because|now|too|here)\b)"
    r"|失败了|还是不行|仍然报错|エラーが|失敗しました|動かない",
    re.IGNORECASE,
)
"""A reported outcome, not a noun: `3 tests fail.` reports, `add a test for failed logins` asks."""

R_CONTEXT = re.compile(
    r"\b(?:this|that|it|these|those|there|the same|the above|the plan|the fix|the change|the error|the issue)\b"
    r"|这个|那个|它|上面|该|これ|それ|あれ|この|その",
    re.IGNORECASE,
)
CONTEXT_NOUN = re.compile(
    r"\b(?:the (?:same|above|plan|fix|bug|previous|earlier|last|first|second|third|other|remaining|rest)"
    r"|(?:this|that|these|those) (?:plan|fix|change|error|issue|bug|approach|function|file|test|code|one|part|way"
    r"|problem|idea|solution|option|output|result|message|branch|pr|commit)s?"
    r"|as (?:above|before|discussed|agreed|you said)|another|one more|instead|again|anymore)\b"
    r"|上面|刚才|刚刚|之前的|这个(?:计划|问题|错误|修复)|先ほど|さっき|上記",
    re.IGNORECASE,
)
T_PRONOUN = re.compile(
    r"\s*(?:(?:please|can you|could you|would you|will you|so|but|hmm|wait|actually|now|why|how|what)[,\s]+)*"
    r"(?:\w+(?:n't)?\s+){0,2}(?:it|this|that|these|those|them)\b(?!\s+(?:the|a|an)\b)|这个|那个|它|これ|それ|あれ",
    re.IGNORECASE,
)
"""A pronoun near the opening, where no earlier word of the prompt can be meant."""
DUMMY_IT = re.compile(
    r"\b(?:it (?:would|will|could|might) be|it(?:'s| is) (?:time|possible|important|best|better|nice|good|necessary)"
    r"|it seems|it looks like|is it (?:possible|ok|okay)|make it possible|so that|such that|like this"
    r"|(?:think|said|say|know|sure|ensure|check|verify|noticed?|see|saw|means?|assume) that)\b",
    re.IGNORECASE,
)

POINTS_FORWARD = re.compile(r"\b(?:this|these|the following)\b[^.\n]{0,40}:", re.IGNORECASE)
"""`Fix this error:` is about what follows."""

RESUME = re.compile(
    r"\s*(?:please\s+)?(?:verify|re-?run|resume|follow(?:ing)? up|re-?check|double[- ]check|re-?test|retry|try again"
    r"|go back to|back to|继续|重新|再(?:次|试))",
    re.IGNORECASE,
)

# --- References by label (part 4.4c) -----------------------------------------------------------------------------

ITEM_LABEL = re.compile(
    r"\b(?:item|option|point)\s+(?P<a>\d{1,3}|[A-Za-z])\b|第\s*(?P<b>\d{1,3}|[一二三四五六七八九十])\s*项"
    r"|(?<![\w/])(?P<hash>#)(?P<c>\d{1,3})\b",
    re.IGNORECASE,
)
ONLY_LABEL = re.compile(r"\s*#?(\d{1,3}|[A-Za-z])[.)]?\s*$")
