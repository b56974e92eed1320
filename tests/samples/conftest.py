"""The samples' own packages have tests too; they are run in copies by the matrix test and never collected here."""

collect_ignore = ["sources"]
