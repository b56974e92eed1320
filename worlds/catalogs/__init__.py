"""The bundled catalogs, in the layout of the original benchmark's ``data/catalogs``, and the script that makes them."""
