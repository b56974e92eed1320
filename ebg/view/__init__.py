"""Views: what of a graph a monitor is shown, in which order, and within which budget."""

from ebg.view._directory import Directory, DirectoryEntry, QueryEntry
from ebg.view._repository import Budgets, RepositoryView, Unit
from ebg.view._search import SearchHit, SearchReply

__all__ = [
    "Budgets",
    "Directory",
    "DirectoryEntry",
    "QueryEntry",
    "RepositoryView",
    "SearchHit",
    "SearchReply",
    "Unit",
]
