"""What calls reach by the default rules (specification part 3 and 10.4, ebg-method)."""

from __future__ import annotations


def test_names_and_imports_are_exact(calls):
    assert calls(
        {
            "pkg/__init__.py": "",
            "pkg/calc.py": "def total(items):\n    return sum(items)\n",
            "pkg/app.py": """
                from pkg.calc import total
                import pkg.calc as c

                class Cart:
                    def price(self):
                        return total(self.lines())

                    def lines(self):
                        return c.total([])
            """,
        }
    ) == [
        "pkg/app.py::Cart.lines -> pkg/calc.py::total (exact)",
        "pkg/app.py::Cart.price -> pkg/app.py::Cart.lines (exact)",
        "pkg/app.py::Cart.price -> pkg/calc.py::total (exact)",
    ]


def test_a_function_of_a_plainly_imported_submodule_is_reached(calls):
    files = {
        "a/__init__.py": "",
        "a/b.py": "def f():\n    return 1\n",
        "m.py": "import a.b\n\ndef g():\n    return a.b.f()\n",
    }
    assert calls(files) == ["m.py::g -> a/b.py::f (reexport)"]
