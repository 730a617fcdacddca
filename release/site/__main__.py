"""python -m release.site FOLDER."""

import sys
from pathlib import Path

from logboom.base.version import __version__
from release.site.build import DOCS, build_site
from release.site.links import BrokenSite

try:
    build_site(DOCS, Path(sys.argv[1]), __version__)
except BrokenSite as error:
    sys.exit(f"{error}\nthe documentation is NOT BUILT")
