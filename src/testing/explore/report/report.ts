/** The report of an exploration. */
import type { Outcome } from '../../../machines/contract/records.ts'
import { journalText } from '../../../runtime/journal/journal-text.ts'
import type { Choice } from '../world/choice.ts'
import type { World } from '../world/world.ts'

/** A rule that does not hold, with a shortest way to a state in which it does not. */
export interface Violation {
  /** The name of the rule. */
  readonly rule: string
  readonly message: string
  /** The choices from the start, as sentences. */
  readonly steps: readonly string[]
  /** The run up to the violation as a Mermaid sequence diagram. */
  diagram(): string
  /** The run of an agent up to the violation as a text for `replayRecording`; of a machine, its journal. */
  readonly recording: string
}

/** A path of the edge cover. */
export interface ExploredPath {
  /** The choices, readable as the name of a test. */
  readonly name: string
  /**
   * Runs the path on the asynchronous engine, with a store. Rejects where the run comes to another state than the
   * exploration, and where its replay differs.
   */
  run(): Promise<void>
}

/** `Ending`: the names of outcomes; of a machine that is no agent, its final states. */
export interface ExploreReport<Ending extends string = Outcome | 'suspended'> {
  /** Whether every rule holds, in all visited states. */
  readonly ok: boolean
  /** How many states each outcome has; `suspended`: the run waits for people who never answer. */
  readonly outcomes: Readonly<Partial<Record<Ending, number>>>
  readonly states: number
  readonly edges: number
  /** The most choices on a shortest way to a state. */
  readonly depth: number
  /** Whether every reachable state was visited. */
  readonly isComplete: boolean
  /** The first violation of each rule, the shortest first. */
  readonly violations: readonly Violation[]
  /** Given replies that no model call was offered, as `agent reply`. */
  readonly unsaid: readonly string[]
  /** How many calls of your functions were made, each with another input. */
  readonly functionCalls: number
  /** Paths from the start on which every edge lies, as tests. */
  paths(): readonly ExploredPath[]
  /** Throws an error that shows the first violation and its steps. */
  assert(): void
}

export function assertReport({ violations }: { readonly violations: readonly Violation[] }): void {
  const [first, ...others] = violations
  if (first === undefined) return
  const steps = first.steps.map((step, index) => `  ${index + 1}. ${step}`)
  const more = others.map(({ rule, message }) => `Also broken: ${rule}. ${message}`)
  throw new Error([`Broken rule: ${first.rule}. ${first.message}`, ...steps, ...more].join('\n'))
}

/** A violation with a shortest run that leads to it: its steps, its diagram, its recording. */
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
