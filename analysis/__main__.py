"""``python -m analysis`` is the command ``mtpbench``."""

from analysis.cli import main

raise SystemExit(main())
