"""Regular languages: automata, and whether C-RASP can recognise them, with a proof either way."""
