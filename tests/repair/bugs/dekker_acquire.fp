// repair: changes=2 warns=once
// Dekker, with acquire and release only
var want[2], turn
na  cs
fn enter(me) {
  want[me].rel := 1
  while want[1 - me].acq == 1 {
    if turn.acq != me {
      want[me].rel := 0
      wait(turn.acq == me)
      want[me].rel := 1
    }
  }
}
fn leave(me) {
  turn.rel := 1 - me
  want[me].rel := 0
}
thread P(i in 0..1) {
  enter(i)
  c := cs
  cs := c + 1
  leave(i)
}
