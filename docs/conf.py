"""How the pages are built: `make docs`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from solver import __version__

project = "solver"
author = "The solver authors"
copyright = author  # noqa: A001
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "stubs",  # before numpydoc, whose guesses it replaces
    "numpydoc",
    "sphinx.ext.viewcode",
    "names",
    "pages",
]
exclude_patterns = ["_ext"]
root_doc = "index"
nitpicky = True

# Indented blocks are lines for a shell, positions and tables.
highlight_language = "none"
myst_heading_anchors = 3

default_role = "named"
add_module_names = False
python_use_unqualified_type_names = True
maximum_signature_line_length = 90
autodoc_docstring_signature = False  # stubs have them
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
numpydoc_show_class_members = False
numpydoc_attributes_as_param_list = True

html_theme = "furo"
html_title = f"solver {release}"
html_static_path = ["_static"]
html_css_files = ["solver.css"]
html_copy_source = False
html_show_sphinx = False
