"""Formal languages: regular ones by name, expression or file, counter languages, and recall."""
