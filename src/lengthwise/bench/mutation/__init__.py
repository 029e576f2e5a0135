"""How well is it tested: small faults put into the code, and whether the tests notice."""
