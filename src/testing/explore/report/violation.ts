/** A violation with a shortest run that leads to it: its steps, its diagram, its recording. */
import { journalText } from '../../../runtime/journal/journal-text.ts'
import type { Choice } from '../world/choice.ts'
import type { World } from '../world/world.ts'
import type { Violation } from './report.ts'

export interface FoundViolation {
  readonly rule: string
  readonly message: string
  readonly path: readonly Choice[]
}

/** `create`: makes the run at its start. */
export function violationAt(
  create: () => World,
  { rule, message, path }: FoundViolation,
  diagramOf: (world: World, path: readonly Choice[], end: string) => string,
): Violation {
  const world = create()
  for (const choice of path) world.apply(choice)
  return {
    rule,
    message,
    steps: path.map(({ label }) => label),
    diagram: () => diagramOf(world, path, `${rule}: ${message}`),
    recording: journalText(world.journal),
  }
}
