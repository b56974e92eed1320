"""Views of a graph for a monitor: directory, search, seeds, expansion, components, rendering."""
