/* A codebreaker in C for `evilpegs bot --exec ./program_bot`.

       cc -O2 -o program_bot examples/program_bot.c

   It reads one line of JSON per guess and answers with one line. The line holds every turn so far, so nothing is kept
   between guesses. The guess is the first code, counted from a random one, that agrees with every feedback. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PEGS 32
#define MAX_TURNS 64

struct turn { int guess[MAX_PEGS], black, white; };

static char symbols[64];

static int color_of(char symbol) { return (int)(strchr(symbols, symbol) - symbols); }

/* Return the whole number after "key": in the line, or 0. */
static unsigned long number(const char *line, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *found = strstr(line, quoted);
    return found ? strtoul(found + strlen(quoted), NULL, 10) : 0;
}

static int agrees(const int *code, const struct turn *turn, int pegs)
{
    int in_code[64] = {0}, in_guess[64] = {0}, black = 0, common = 0;
    for (int peg = 0; peg < pegs; peg++) {
        black += code[peg] == turn->guess[peg];
        in_code[code[peg]]++;
        in_guess[turn->guess[peg]]++;
    }
    for (int color = 0; color < 64; color++)
        common += in_code[color] < in_guess[color] ? in_code[color] : in_guess[color];
    return black == turn->black && common - black == turn->white;
}

static int has_repeat(const int *code, int pegs)
{
    for (int peg = 1; peg < pegs; peg++)
        for (int other = 0; other < peg; other++)
            if (code[peg] == code[other]) return 1;
    return 0;
}

static int is_possible(const int *code, const struct turn *turns, int count, int pegs)
{
    for (int turn = 0; turn < count; turn++)
        if (!agrees(code, &turns[turn], pegs)) return 0;
    return 1;
}

int main(void)
{
    static char line[1 << 16];
    static struct turn turns[MAX_TURNS];
    while (fgets(line, sizeof line, stdin)) {
        int pegs = (int)number(line, "pegs"), colors = (int)number(line, "colors"), count = 0;
        int repeats = strstr(line, "\"repeats\": true") != NULL, code[MAX_PEGS];
        sscanf(strstr(line, "\"symbols\": \""), "\"symbols\": \"%63[^\"]", symbols);
        for (char *at = line; (at = strstr(at, "\"code\": \"")) != NULL && count < MAX_TURNS; count++) {
            at += strlen("\"code\": \"");
            for (int peg = 0; peg < pegs; peg++) turns[count].guess[peg] = color_of(at[peg]);
            turns[count].black = (int)number(at, "black");
            turns[count].white = (int)number(at, "white");
        }
        srand((unsigned)number(line, "seed"));
        for (int peg = 0; peg < pegs; peg++) code[peg] = rand() % colors;
        while ((!repeats && has_repeat(code, pegs)) || !is_possible(code, turns, count, pegs))
            for (int peg = pegs - 1; peg >= 0 && (code[peg] = (code[peg] + 1) % colors) == 0; peg--) {}
        printf("{\"code\": \"");
        for (int peg = 0; peg < pegs; peg++) putchar(symbols[code[peg]]);
        printf("\"}\n");
        fflush(stdout);
    }
    return 0;
}
