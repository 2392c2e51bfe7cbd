#include <stdio.h>

int main(void) {
    FILE *file = fopen("settings", "r");
    return file != 0;
}
