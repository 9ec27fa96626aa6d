"""The card in a README that exists, and on the Hub."""
