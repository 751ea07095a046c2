/** Mutants that change nothing that can be observed, by their ids, each with the reason. */
export const equivalents: ReadonlyMap<string, string> = new Map<string, string>([])
