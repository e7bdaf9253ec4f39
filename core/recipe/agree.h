/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the commands of a recipe must agree on although each of them is right by itself: conversion,
 * training and export read each other's checkpoints. Pure. Sources: reports of runs that failed an
 * hour after the submit.
 */
#ifndef RLPILOT_RECIPE_AGREE_H
#define RLPILOT_RECIPE_AGREE_H

struct buf;
struct recipe;

/* 0, or -1 with the place in the recipe ("stages[5]") and what is wrong. */
int agree_check(const struct recipe *r, struct buf *place, struct buf *why);

#endif
