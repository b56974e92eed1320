"""The three subsets: load, check, export, and the bundled samples."""
