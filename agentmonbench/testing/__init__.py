"""Things to test with: a model's service on loopback that answers, stalls and fails as scripted."""

from agentmonbench.testing._provider import Answer, ScriptedProvider, answers_of

__all__ = ["Answer", "ScriptedProvider", "answers_of"]
