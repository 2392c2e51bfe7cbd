thread P { r++ }
