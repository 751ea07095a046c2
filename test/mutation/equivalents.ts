/** Mutants that change nothing that can be observed, by their ids, each with the reason. */
export const equivalents: ReadonlyMap<string, string> = new Map([
  [
    'src/machines/loop/guards.ts negate guard 53',
    '`hasOtherWork` is asked by a fan-out alone, which overrides it.',
  ],
])
