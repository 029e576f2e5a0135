"""The colours of all pictures: Okabe and Ito's, told apart with every common colour blindness."""

# Their black is a dark grey, and their yellow, too pale on a light page, is left out.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333", "#8a8a8a")
