// parker.fp with the fence that the JDK got.
var ready
var permit = 1          // left over from an earlier unpark

// while (!ready) park();
thread consumer {
  if ready == 0 {
    // the fast path of park: take the permit and return
    permit := 0
    mfence
    if ready == 0 {
      // the slow path: sleep until somebody calls unpark
      wait(permit == 1)
    }
  }
}

// ready = true; unpark();
thread producer {
  ready := 1
  XCHG(permit, 1)
}
