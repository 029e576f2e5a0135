// Dyck-1: balanced brackets of one kind.
// Source: Yang & Chiang (2024). Fragment: plain.
alphabet "(" ")"
empty accept
C_open = #"("
C_close = #")"
V = C_open < C_close         // a violation: more closed than opened
CV = #V
M = CV == 0                  // no violation so far
B = C_open == C_close        // balanced here
accept = M && B
