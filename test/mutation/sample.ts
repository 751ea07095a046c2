/** A sample of mutants: the same for the same seed and sources. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../simulation/random.ts'
import type { Mutant } from './mutant.ts'
import { mutate } from './operators/index.ts'
import type { Area } from './suites.ts'

/** All mutants of an area. */
export function mutantsIn(root: string, { sources }: Area): Mutant[] {
  const files = sources.flatMap((source) =>
    source.endsWith('/')
      ? globSync(`${source}**/*.ts`, { cwd: root }).toSorted()
      : globSync(source, { cwd: root }),
  )
  return files.flatMap((file) => mutate(file, readFileSync(join(root, file), 'utf8')))
}

/** `count` mutants in turn from each operator, so that a frequent operator does not fill the sample. */
export function sample(mutants: readonly Mutant[], count: number, random: Random): Mutant[] {
  const byOperator = new Map<string, Mutant[]>()
  for (const mutant of mutants) {
    byOperator.set(mutant.operator, [...(byOperator.get(mutant.operator) ?? []), mutant])
  }
  const left = [...byOperator.entries()].map(([operator, list]) => shuffled(list, random.stream(operator)))
  const taken: Mutant[] = []
  while (taken.length < count && left.some((list) => list.length > 0)) {
    for (const list of left) {
      const mutant = list.pop()
      if (mutant !== undefined && taken.length < count) taken.push(mutant)
    }
  }
  return taken
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  return list
    .map((value) => ({ value, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value)
}
