/** One small fault that is put into a source file. */
export interface Mutant {
  /** Stable while its line is: file, operator and the number of the mutant among those of the operator. */
  readonly id: string
  readonly operator: string
  /** Its path in the repository. */
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly start: number
  readonly end: number
  readonly replacement: string
  /** The code that is replaced, on one line. */
  readonly original: string
}

/** A place where an operator applies, and the code that it puts there. */
export interface Edit {
  readonly operator: string
  readonly start: number
  readonly end: number
  readonly replacement: string
}

export function mutantsOf(file: string, source: string, edits: readonly Edit[]): Mutant[] {
  const counts = new Map<string, number>()
  return edits
    .filter(({ start, end, replacement }) => source.slice(start, end) !== replacement)
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map((edit) => {
      const count = (counts.get(edit.operator) ?? 0) + 1
      counts.set(edit.operator, count)
      return {
        ...edit,
        id: `${file} ${edit.operator} ${count}`,
        file,
        line: source.slice(0, edit.start).split('\n').length,
        original: source.slice(edit.start, edit.end).replaceAll(/\s+/g, ' ').slice(0, 120),
      }
    })
}

export function mutated(source: string, { start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end)
}
