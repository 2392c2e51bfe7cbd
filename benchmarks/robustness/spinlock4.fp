// The spin lock of Linux on x86 until 2008, as Owens (2010) gives it: a locked decrement, and plain reads while it is taken;
// four threads.
var slots = 1
na owner

thread T(i in 1..4) {
  while 1 {
    while FSUB(slots, 1) != 1 {
      while slots <= 0 { skip }
    }
    owner := i
    r := owner
    assert(r == i)
    slots := 1
  }
}
