"""How the classes of languages that counting programs define are called in print."""

CLASS_TITLES = {
    "plain": "C-RASP",
    "periodic": "C-RASP[periodic]",
    "local": "C-RASP[local]",
    "periodic_local": "C-RASP[periodic, local]",
}
"""Each class by the name it has in code and in certificates (Huang et al. 2024)."""
