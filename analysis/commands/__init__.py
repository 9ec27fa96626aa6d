"""One module per command of ``mtpbench``; see ``cli.COMMANDS``."""
