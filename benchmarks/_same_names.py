"""A small repository in which many things have the same name, with the truth of every call beside it.

A comment `# -> a, b` names what the call or calls of its line run, `# -> nothing` says that they run nothing of the
repository or that it cannot be told, and `# -> several` that the call is ambiguous and has to be listed as unresolved.
Targets are written `file:symbol`, without `.py`.
"""

from __future__ import annotations

__all__ = ["FILES"]

FILES: dict[str, str] = {
    "alpha/__init__.py": "from .store import Store\nfrom .tools import run as start\n",
    "alpha/store.py": """\
import json

from . import tools
from .tools import load


class Store:
    def __init__(self, path):
        self.path = path

    def save(self, data):
        return tools.run(data)  # -> alpha/tools:run

    def load(self):
        return load(self.path)  # -> alpha/tools:load

    def run(self):
        self.save(1)  # -> alpha/store:Store.save
        run(2)  # -> nothing
        json.load(3)  # -> nothing
        return self.load()  # -> alpha/store:Store.load

    def get(self, key, run):
        run(key)  # -> nothing
        return key.get("a")  # -> nothing
""",
    "alpha/tools.py": """\
def run(data):
    return data


def load(path):
    with open(path) as file:
        return file.load()  # -> nothing


def get(mapping, key):
    return mapping.get(key)  # -> nothing
""",
    "beta/__init__.py": "",
    "beta/store.py": """\
from alpha.store import Store as Base


class Store(Base):
    def save(self, data):
        super().save(data)  # -> alpha/store:Store.save
        return self.load()  # -> alpha/store:Store.load

    def run(self):
        def save(data):
            return data

        save(1)  # -> beta/store:Store.run.save
        return super().run()  # -> alpha/store:Store.run


class Other:
    def save(self, data):
        return data

    def run(self):
        return self.save(1) and self.load()  # -> beta/store:Other.save
""",
    "beta/tools.py": """\
import alpha
import alpha.tools
from alpha import tools as run_tools

from . import store
from .store import Other, Store


def run(value, other: Other):
    alpha.start(value)  # -> alpha/tools:run
    alpha.tools.load(value)  # -> alpha/tools:load
    run_tools.get(value, 1)  # -> alpha/tools:get
    value.save(1)  # -> nothing
    value.run()  # -> nothing
    other.save(2)  # -> beta/store:Other.save
    other.load()  # -> nothing
    Store("a").save(3)  # -> beta/store:Store.save, alpha/store:Store.__init__
    store.Other().run()  # -> beta/store:Other.run, beta/store:Other
    return [each.get(1) for each in value]  # -> nothing


def load(kind, unknown):
    get = unknown.get
    get(1)  # -> nothing
    chosen = Store("b") if kind else Other()  # -> alpha/store:Store.__init__, beta/store:Other
    chosen.save(1)  # -> several
    chosen.get(2, load)  # -> alpha/store:Store.get
    load = unknown
    load(3)  # -> nothing
    return {"run": run}.get("run")


def get(run=None):
    run = run or load
    for run in get():  # -> beta/tools:get
        run()  # -> nothing
    return sorted(get.load(), key=lambda get: get.run())  # -> nothing
""",
    "run.py": """\
import store
from alpha import *
from beta.tools import get, run


def main(args):
    Store(args).run()  # -> alpha/store:Store.run, alpha/store:Store.__init__
    start(args)  # -> alpha/tools:run
    run(args, get)  # -> beta/tools:run
    get.run()  # -> nothing
    load(args)  # -> nothing
    store.Store().save()  # -> nothing
    args.store.save()  # -> nothing
""",
}
