/** All mutants of a file. */
import { mutantsOf, type Mutant } from '../mutant.ts'
import { chartEdits } from './chart.ts'
import { codeEdits } from './code.ts'
import { placesOf } from './tree.ts'

export function mutate(file: string, source: string): Mutant[] {
  const places = placesOf(file, source)
  return mutantsOf(file, source, [...chartEdits(source, places), ...codeEdits(source, places)])
}
