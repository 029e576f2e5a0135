// Writes the more frequent of 0 and 1 after <sep>, then <eos>.
// Source: task of Huang et al. (2025); program ours. Fragment: plain.
alphabet "0" "1" "<sep>" "<eos>"
PRE = #"<sep>" == 0
POST = !PRE
C0 = #("0" && PRE)
C1 = #("1" && PRE)
next "0" = "<sep>" && C1 < C0
next "1" = "<sep>" && C0 < C1
next "<eos>" = POST && !"<sep>"
