mutex m
thread P { r := m }
