"""The commands: a thin layer over the library, with no logic of its own."""
