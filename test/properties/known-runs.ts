/**
 * Choices with which a run of `runRandomly` is known to end in each way, as a random list of choices seldom does. A
 * property over random runs is given them as its first examples, so that it has seen every ending whatever its seed.
 */

/** A list of this length that is 0 but at these positions. */
function choices(length: number, chosen: Readonly<Record<number, number>>): number[] {
  return Array.from({ length }, (_, position) => chosen[position] ?? 0)
}

export const runsByEnding: Readonly<Record<string, number[]>> = {
  completed: [],
  bailed: choices(38, { 9: 1, 22: 1, 24: 1, 37: 1 }),
  cancelled: choices(27, { 0: 1, 9: 1, 15: 1, 26: 1 }),
  failed: choices(29, { 9: 1, 14: 1, 26: 5, 28: 6 }),
  stopped: choices(30, { 18: 1, 22: 1, 24: 1 }),
  tripped: choices(25, { 2: 1, 13: 1, 14: 1, 24: 1 }),
  'exhausted: budget': choices(30, { 5: 1, 10: 1, 24: 1 }),
  'exhausted: completion': choices(36, { 0: 1, 19: 1, 27: 1, 31: 1, 35: 1 }),
  'exhausted: handoffs': choices(50, { 2: 1, 9: 1, 14: 1, 31: 5, 35: 1, 38: 9, 44: 5, 46: 1, 49: 3 }),
  'exhausted: loop': choices(33, { 2: 1, 8: 1, 10: 1, 30: 1 }),
  'exhausted: maxSteps': choices(29, { 12: 1, 21: 1, 27: 1, 28: 1 }),
}

/** As `examples` of `fc.assert`. */
export const knownRuns = Object.values(runsByEnding).map((run): [choices: number[]] => [run])
