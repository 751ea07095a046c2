/** A violation with a shortest run that leads to it: its steps, its diagram, its recording. */
import { journalText } from '../../../runtime/journal/journal-text.ts'
import type { Choice } from '../world/choice.ts'
import type { World } from '../world/world.ts'
import { sequenceDiagram } from './diagram.ts'
import type { Violation } from './report.ts'

export interface FoundViolation {
  readonly rule: string
  readonly message: string
  readonly path: readonly Choice[]
}

/** `create`: makes the run at its start. */
export function violationAt(create: () => World, { rule, message, path }: FoundViolation): Violation {
  const world = create()
  for (const choice of path) world.apply(choice)
  const events = world.engine.recorder.log.toArray()
  return {
    rule,
    message,
    steps: path.map(({ label }) => label),
    diagram: () => sequenceDiagram(events, `${rule}: ${message}`),
    recording: journalText(world.journal),
  }
}
