var größe
thread P { größe := 1 }
