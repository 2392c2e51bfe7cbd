// What each construct becomes. lowering.fpir is the golden text form.
const N = 2
var x, y = 1, a[3] = [1, &x], b[2] = 7
na  d
mutex m

fn twice(v) { return v + v }

thread T(i in 1..N) { a[i].rel := i }

thread P {
  r := x
  r := x.acq
  x := 1
  y.rel := r ^ r
  d := d + 1
  s := a[2] + a[r & 1].sc
  p := &a[1]
  [p].na := p[r]
  t := 3 * N - 1
  c := x == 1 && r != 0
  c := r == 1 || s == 2
  c := y == 1 || x.acq == 2
  if r { skip } else if s == 1 { goto end } else { x := 2 }
  while y.acq == 0 { if r > 2 { break }; continue }
  while 1 { break }
  for k in 1..r { _ := x }
  old, ok := CAS(x.acq_rel, 0, 1)
  _, ok := WCAS(x.sc, r, s, rlx)
  FADD(x.rel, 1)
  r := XCHG(a[r & 1], r)
  wait(x.acq == 1)
  r := wait((x & 3) != s)
  BCAS(x.acq, 0, 1)
  r := LDX(x); ok := STX(x, r + 1)
  sync; lwsync; isync; eieio; mfence; fence.acq_rel; dmb.sy; fence.rw.w
  lock(m); unlock(m); ok := trylock(m)
  c := choose(0..N)
  assume(c != 1)
  assert(r == 4, "message")
  r := twice(twice(2))
  t := spawn twice(r); r := join(t)
  p := malloc(16); free(p)
  atomic { x := 1 }
  r := select(c, r, -s)
  if !r goto end
  fail("no")
  end: return
}

observe x, a[1]
filter (P:r != 2)
forall (x == 1 || T1:i <= P:r && !(y == &x)) /\ 1
