// Message passing: the flag arrives, the data does not.
var data, flag
thread P { data := 1; flag := 1 }
thread Q { f := flag; d := data }
exists (Q:f == 1 && Q:d == 0)
