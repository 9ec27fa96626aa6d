"""What would other depths, thresholds and policies have done on the same text? Nothing is run."""
