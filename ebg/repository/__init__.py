"""From a repository to its graph: admit files, parse, form behaviors, link calls and supplies."""
