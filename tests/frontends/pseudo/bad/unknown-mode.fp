var x
thread P { r := x.acquire }
