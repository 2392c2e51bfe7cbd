// The work-stealing deque of Chase and Lev (2005), without resizing: an owner that pushes and takes at the bottom as it likes,
// two thieves that steal at the top, with the fences that release/acquire needs. A thief that loses blocks: a failed
// compare-exchange that others can tell from none would ask for one more fence.
const PUSHES = 3
var top = 1, bottom = 1, items[PUSHES + 2]

thread owner {
  pushes := 0
  while 1 {
    next := choose(0..1)
    if next == 0 {
      b := bottom - 1
      bottom := b
      fence.sc
      t := top
      if t < b {
        r := items[b]
        assert(r != 0)
      } else if t == b {
        r := items[b]
        assert(r != 0)
        CAS(top, t, t + 1)
        bottom := b + 1
      } else {
        bottom := b + 1
      }
    } else if pushes < PUSHES {
      pushes := pushes + 1
      b := bottom
      items[b] := pushes
      bottom := b + 1
    }
  }
}

thread thief(i in 1..2) {
  while 1 {
    fence.sc
    t := top
    fence.sc
    b := bottom
    if t < b {
      r := items[t]
      assert(r != 0)
      BCAS(top, t, t + 1)
    }
  }
}
