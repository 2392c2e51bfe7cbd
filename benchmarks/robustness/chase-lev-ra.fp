// The work-stealing deque of Chase and Lev: an owner that pushes and takes at the bottom, two thieves that steal at the
// top, with the fences that release/acquire needs.
const N = 2
var top, bottom, items[4]

thread owner {
  for k in 1..N {
    b := bottom
    items[b] := k
    bottom := b + 1
  }
  for k in 1..N {
    b := bottom - 1
    bottom := b
    fence.sc
    fence.sc
    t := top
    if t > b {
      bottom := b + 1
    } else {
      r := items[b]
      assert(r != 0)
      if t == b {
        _, got := CAS(top, t, t + 1)
        bottom := b + 1
      }
    }
  }
}

thread thief(i in 1..2) {
  for k in 1..N {
    fence.sc
    t := top
    fence.sc
    b := bottom
    if t < b {
      r := items[t]
      assert(r != 0)
      _, got := CAS(top, t, t + 1)
    }
  }
}
