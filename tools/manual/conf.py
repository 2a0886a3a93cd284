"""Sphinx's settings of the manual. pages.py copies this file beside the sources."""
from adjoint import __version__

project, author, copyright = "Adjoint", "the authors of Adjoint", "the authors of Adjoint"
version = release = __version__.partition("+")[0]
extensions = ["myst_parser", "sphinx_design"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"Adjoint {release}"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_show_sourcelink = html_copy_source = False
html_show_search_summary = False  # summaries are fetched, which a browser refuses for files
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
