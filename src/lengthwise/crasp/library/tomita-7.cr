// Tomita-7: 0*1*0*1*, that is: 1010 is not a scattered subsequence.
// Source: Tomita (1982); program ours. Fragment: plain.
alphabet "0" "1"
empty accept
E1 = "1"
S1 = #E1 - (1 if E1 else 0)  // strictly before this position
E2 = "0" && S1 >= 1
S2 = #E2 - (1 if E2 else 0)
E3 = "1" && S2 >= 1
S3 = #E3 - (1 if E3 else 0)
E4 = "0" && S3 >= 1
accept = #E4 == 0
