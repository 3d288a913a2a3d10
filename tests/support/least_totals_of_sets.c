/* Ask examples/least_total.c about sets of codes. Each line of standard input is FIRST NUMBER INDEX...: codes that give
   the feedback with that number to FIRST, by their index among all such codes. Printed are the lower bound by the
   parts, what a search for no more than this finds, and what one without a bound finds then: the least total. */

#define main program
#include "../../examples/least_total.c"
#undef main

int main(int count, char **args) {
    static char line[1 << 16];
    if (count != 3) return 2;
    pegs = atoi(args[1]), colors = atoi(args[2]), codes = 1;
    for (int peg = 0; peg < pegs; peg++) codes *= colors;
    table = calloc(2 * SLOTS, sizeof *table);
    rows = calloc((size_t)codes, CODES);
    prepare();
    while (fgets(line, sizeof line, stdin)) {
        static uint16_t part[CODES], set[CODES];
        char *word = strtok(line, " \n");
        int size = 0, first = parse_code(word), number = atoi(strtok(NULL, " \n"));
        begin_part(first, number, part);
        while ((word = strtok(NULL, " \n"))) set[size++] = part[atoi(word)];
        int lower = bounds_of(set, size).lower, bounded = least_total(set, size, lower + 1, NULL);
        printf("%d %d %d\n", lower, bounded, least_total(set, size, NEVER, NULL));
    }
    return 0;
}
