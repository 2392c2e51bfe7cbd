// The work-stealing queue of Cilk-5 (the THE protocol; Frigo, Leiserson and Randall 1998, Figure 5): a worker that pushes
// and pops at the tail as it likes, a thief that steals at the head for ever, as for sequential consistency.
const ROUNDS = 5
var T = ROUNDS, H = ROUNDS, L

thread worker {
  for round in 1..ROUNDS {
    next := choose(0..1)
    if next == 0 {
      T := T + 1
      continue
    }
    T := T - 1
    if H > T {
      T := T + 1
      BCAS(L, 0, 1)
      T := T - 1
      if H > T {
        T := T + 1
      }
      L := 0
    }
  }
}

thread thief {
  while 1 {
    BCAS(L, 0, 1)
    H := H + 1
    if H > T {
      H := H - 1
    }
    L := 0
  }
}
