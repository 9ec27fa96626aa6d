"""Finding the best setting of a machine: what to measure next, and when that is enough."""
