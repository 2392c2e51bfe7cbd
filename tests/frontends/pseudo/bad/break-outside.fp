var x
thread P { break }
