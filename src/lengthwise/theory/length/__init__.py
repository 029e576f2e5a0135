"""Length complexity: how long training words must be before what is simplest is also right."""
