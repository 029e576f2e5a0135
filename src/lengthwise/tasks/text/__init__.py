"""Language modelling on real text: the Python standard library, or files of your own."""
