"""Write the bundled catalogs again: ``python -m worlds.catalogs.generate``."""

from __future__ import annotations

from pathlib import Path

from worlds.catalogs.generate import catalog_files

if __name__ == "__main__":
    folder = Path(__file__).resolve().parent.parent
    for name, content in catalog_files():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
