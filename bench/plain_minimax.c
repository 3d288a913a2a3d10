/* Minimax against every secret, as a plain program in C does it, to be timed beside `bench.evaluation`.

       cc -O3 -march=native -o plain_minimax bench/plain_minimax.c
       ./plain_minimax PEGS COLORS

   Prints the guesses of all games and the milliseconds they took. At each turn every code is tried, and counting its
   parts stops when one is larger than the best so far; of equal ones candidates come first, then code order. A code is
   two words: a bit for each peg and its color, and for each color as many bits as pegs have it. So the blacks and the
   matches of two codes are the bits that they share, which the processor counts. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_PEGS = 8, FEEDBACKS = (MOST_PEGS + 1) * (MOST_PEGS + 1) };

typedef struct {
    uint64_t pegs, counts;
} Code;

static int pegs, colors, codes;
static Code *every;
static char *is_candidate;

static int feedback(Code one, Code other) {
    int black = __builtin_popcountll(one.pegs & other.pegs);
    return black * (MOST_PEGS + 1) + __builtin_popcountll(one.counts & other.counts);
}

static Code code_at(int number) {
    Code code = {0, 0};
    int found[64] = {0};
    for (int peg = 0; peg < pegs; peg++, number /= colors) {
        int color = number % colors;
        code.pegs |= (uint64_t)1 << ((pegs - 1 - peg) * colors + color);
        code.counts |= (uint64_t)1 << (color * pegs + found[color]++);
    }
    return code;
}

static int best_guess(const int *candidates, int size) {
    int best = 0, least = size + 1;
    for (int guess = 0; guess < codes; guess++) {
        int sizes[FEEDBACKS] = {0};
        int most = 0, limit = least - !(is_candidate[guess] && !is_candidate[best]);
        Code code = every[guess];
        for (int i = 0; i < size && most <= limit; i++) {
            int part = ++sizes[feedback(code, every[candidates[i]])];
            if (part > most) most = part;
        }
        if (most <= limit) best = guess, least = most;
    }
    return best;
}

/* The guesses that find each of the candidates, if the next is number `turn`. */
static int64_t guesses(const int *candidates, int size, int turn) {
    if (size <= 2) return size * turn + size / 2;
    for (int i = 0; i < size; i++) is_candidate[candidates[i]] = 1;
    int best = best_guess(candidates, size);
    for (int i = 0; i < size; i++) is_candidate[candidates[i]] = 0;
    int *ordered = malloc(size * sizeof *ordered), starts[FEEDBACKS + 1] = {0}, ends[FEEDBACKS];
    for (int i = 0; i < size; i++) starts[feedback(every[best], every[candidates[i]]) + 1]++;
    for (int part = 0; part < FEEDBACKS; part++) starts[part + 1] += starts[part];
    memcpy(ends, starts, sizeof ends);
    for (int i = 0; i < size; i++) ordered[ends[feedback(every[best], every[candidates[i]])]++] = candidates[i];
    int64_t total = 0;
    for (int part = 0; part < FEEDBACKS; part++) {
        int count = ends[part] - starts[part];
        if (!count) continue;
        total += part == feedback(every[best], every[best]) ? turn : guesses(ordered + starts[part], count, turn + 1);
    }
    free(ordered);
    return total;
}

int main(int count, char **words) {
    struct timespec start, end;
    if (count != 3 || (pegs = atoi(words[1])) < 1 || pegs > MOST_PEGS || (colors = atoi(words[2])) < 1 ||
        colors > 64 / pegs) {
        fprintf(stderr, "usage: plain_minimax PEGS COLORS, whose product is at most 64\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    codes = 1;
    for (int peg = 0; peg < pegs; peg++) codes *= colors;
    every = malloc(codes * sizeof *every);
    is_candidate = calloc(codes, 1);
    int *candidates = malloc(codes * sizeof *candidates);
    for (int number = 0; number < codes; number++) every[number] = code_at(number), candidates[number] = number;
    int64_t total = guesses(candidates, codes, 1);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%lld %.3f\n", (long long)total, (end.tv_sec - start.tv_sec) * 1e3 + (end.tv_nsec - start.tv_nsec) / 1e6);
    return 0;
}
