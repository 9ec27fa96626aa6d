"""How fast, how sure, on which shared tasks? Frame in, frame out."""
