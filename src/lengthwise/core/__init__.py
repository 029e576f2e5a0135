"""What every room stands on: errors, registries, components, limits, files written in one step."""
