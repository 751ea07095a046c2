/** Mutants that change nothing that can be observed, by their ids, each with the reason. */
export const equivalents: ReadonlyMap<string, string> = new Map([
  [
    'src/machines/loop/guards.ts negate guard 53',
    '`hasOtherWork` is asked by a fan-out alone, which overrides it.',
  ],
  [
    'src/runtime/engine/perform/tool.ts branch 2',
    'Before a tool is called, a run whose agent has lost the tool is refused: its journal does not fit.',
  ],
])
