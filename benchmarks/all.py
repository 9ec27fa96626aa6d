"""All ratios of the project, one file beside this one for each subject."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from timing import main

if __name__ == "__main__":
    here = Path(__file__)
    names = sorted(path.stem for path in here.parent.glob("*.py"))
    modules = [importlib.import_module(name) for name in names if name not in {here.stem, "timing"}]
    # What has no ratio, like the load test, is run on its own.
    sys.exit(main(*(module.measure for module in modules if hasattr(module, "measure"))))
