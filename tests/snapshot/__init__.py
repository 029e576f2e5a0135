"""What the package answered, measured and wrote at one moment, to compare later ones with."""
