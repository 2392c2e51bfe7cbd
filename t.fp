var x, y, a[4]
mutex m
fn f(k) { a[k].rel := 1; return a[k+1] + x.acq }
thread P { x := 1; r := y + a[r]; q := XCHG(x.acq_rel, 5); _, ok := CAS(a[2], 0, 1); [q].rel := 2
  while x.acq == 0 && y == 1 { skip }
  wait((y & 3) != 0); lock(m); t := f(3); unlock(m)
  L: fence.sc
  if r > 0 goto L
}
thread Q { if y == 1 { y := 2 } else { y.sc := 3 } }
forall (x == 1)
