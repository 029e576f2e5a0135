"""Position relations, gates and circuits as objects."""
