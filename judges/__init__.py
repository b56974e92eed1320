"""LLM judges, one module a subset."""
