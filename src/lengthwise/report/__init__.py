"""What people look at: curves in the terminal, figures, the page."""
