var x
thread P { x := ÿş }
