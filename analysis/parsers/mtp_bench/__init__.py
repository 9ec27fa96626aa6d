"""mtp-bench, as printed and as saved by ``--out``."""
