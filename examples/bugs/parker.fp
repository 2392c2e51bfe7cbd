// The lost wakeup of JDK-6822370: HotSpot's Parker::park() had no fence on its fast path, and threads hung on x86.
var ready
var permit = 1          // left over from an earlier unpark

// while (!ready) park();
thread consumer {
  if ready == 0 {
    // the fast path of park: take the permit and return
    permit := 0
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
