"""One module a table or figure of the paper; `python -m experiments.main` is the front door."""
