fn CAS(u) { return u }
thread P { skip }
