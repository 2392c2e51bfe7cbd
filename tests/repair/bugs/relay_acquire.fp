// repair: changes=1
// handing over through two threads and two flags
na  data
var a, b, out
thread first  { data := 5; a.rel := 1 }
thread second { wait(a == 1); b.rel := 1 }
thread third  { wait(b.acq == 1); d := data; assert(d == 5, "what was sent arrives") }
