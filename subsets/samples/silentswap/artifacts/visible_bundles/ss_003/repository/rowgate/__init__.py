"""Checked imports: CSV text and a schema in, clean rows and a list of problems out."""

from rowgate.errors import HeaderError, ImportFailure, SchemaError, TooManyProblems
from rowgate.importer import Result, import_csv
from rowgate.problems import Problem
from rowgate.report import render, summarize
from rowgate.schema import Column, Schema, load_schema

__all__ = [
    "Column",
    "HeaderError",
    "ImportFailure",
    "Problem",
    "Result",
    "Schema",
    "SchemaError",
    "TooManyProblems",
    "import_csv",
    "load_schema",
    "render",
    "summarize",
]
