/** Searches the states of a run, checks the rules at each of them, and reports. */
import type { Settlement } from '../../actors/effects/effect.ts'
import {
  assertReport,
  violationAt,
  type ExploreReport,
  type Violation,
  type FoundViolation,
} from './report/report.ts'
import { pathsOf } from './report/paths.ts'
import type { Broken, BuiltInRule, Visit } from './rules/visit.ts'
import { pathTo, type ExploredGraph, type Place } from './search/graph.ts'
import { graphViolations } from './search/graph-rules.ts'
import { search, type Space } from './search/search.ts'
import type { Choice } from './world/choice.ts'
import type { RealFunctions } from './world/real-functions.ts'
import { replayDifference } from './world/replayed.ts'
import type { ControlledRun } from './world/controlled-run.ts'
import type { Subject } from './world/subject.ts'
import type { World } from './world/world.ts'

/** Watches the rules of a user. */
export interface RuleMonitor {
  /** The number of questions that the rules ask: when it grows, keys that were made before are too coarse. */
  readonly questions: number
  /** Rules of the kind `sometimes` that have not held yet. */
  readonly unmet: readonly string[]
  memoryOf(world: World): string
  check(visit: Visit): readonly Broken[]
}

export interface Explorable {
  readonly subject: Subject
  readonly space: Omit<Space, 'keyOf' | 'memoryOf' | 'visit'> & { keyOf(run: ControlledRun): string }
  readonly rules: readonly BuiltInRule[]
  readonly monitor: RuleMonitor
  /** The most states that are visited. */
  readonly states: number
  /** Whether the journal is replayed at each state. */
  readonly crashes: boolean
  /** Whether the run may end at all. */
  readonly ends: boolean
  /** The functions of the user that are asked again when the search is done. */
  readonly rechecked: Pick<RealFunctions, 'recheck'> | undefined
}

/** `more`: the parts of the report that only the caller knows; `diagramOf` draws the run of a violation. */
export async function exploreStates(
  explorable: Explorable,
  diagramOf: (world: World, path: readonly Choice[], end: string) => string,
  more: () => Pick<ExploreReport<string>, 'unsaid' | 'functionCalls'>,
): Promise<ExploreReport<string>> {
  const { monitor, subject, space } = explorable
  let searched = await searchOnce(explorable)
  // A rule that asks a new question needs finer keys: the search begins again.
  while (searched.asked < monitor.questions) searched = await searchOnce(explorable)
  const { graph, found } = searched
  await addWholeViolations(explorable, graph, found)
  const violations = [...found.values()]
    .toSorted((a, b) => a.path.length - b.path.length)
    .map((violation) => violationAt(space.create, violation, diagramOf))
  const keyOf = (run: ControlledRun): string => space.keyOf(run)
  return { ...reportOf(graph, violations), ...more(), paths: () => pathsOf({ graph, subject, keyOf }) }
}

async function searchOnce({ subject, space, rules, monitor, states, crashes }: Explorable) {
  const asked = monitor.questions
  const found = new Map<string, FoundViolation>()
  /** The number of events of each place, on the path by which it was first reached. */
  const eventsBefore = new Map<Place, number>()
  const graph = await search(
    {
      ...space,
      memoryOf: (world) => monitor.memoryOf(world),
      visit(world, place, step, isNew) {
        const events = world.state.recorder.log.toArray()
        const before = step === undefined ? 0 : (eventsBefore.get(step.from) ?? 0)
        if (isNew) eventsBefore.set(place, events.length)
        const visit: Visit = { world, events, before, choice: step?.choice }
        const add = (rule: string, message: string): void => {
          if (found.has(rule)) return
          const path = step === undefined ? [] : [...pathTo(step.from), step.choice]
          found.set(rule, { rule, message, path })
        }
        for (const { name, check } of rules) {
          const message = check(visit)
          if (message !== undefined) add(name, message)
        }
        if (world.fault !== undefined) return
        for (const { rule, message } of monitor.check(visit)) add(rule, message)
        if (!crashes || !isNew) return
        const difference = replayDifference(subject, world, world.journal)
        if (difference !== undefined) add('a replay is the same', difference)
      },
    },
    { states },
  )
  return { graph, found, asked }
}

/** Violations that only the whole graph shows. */
async function addWholeViolations(
  { monitor, ends, rechecked }: Explorable,
  graph: ExploredGraph,
  found: Map<string, FoundViolation>,
): Promise<void> {
  const add = (rule: string, message: string, path: readonly Choice[] = []): void => {
    if (!found.has(rule)) found.set(rule, { rule, message, path })
  }
  for (const { rule, message, place } of graphViolations(graph, ends)) add(rule, message, pathTo(place))
  if (graph.isComplete) for (const rule of monitor.unmet) add(rule, 'It holds in no state.')
  for (const { name, path, first, second } of (await rechecked?.recheck()) ?? []) {
    const message = `${name} ${said(first)}, and for the same input it ${said(second)}.`
    add('functions depend on their inputs alone', message, path)
  }
}

/** The whole answer: two that differ at their ends alone differ here too. */
function said({ value, error }: Settlement): string {
  return error === undefined ? `answered ${JSON.stringify(value)}` : `threw (${error.code}) ${error.message}`
}

function reportOf({ places, edges, isComplete }: ExploredGraph, violations: readonly Violation[]) {
  const outcomes: Record<string, number> = {}
  for (const { rest } of places) if (rest !== undefined) outcomes[rest] = (outcomes[rest] ?? 0) + 1
  return {
    ok: violations.length === 0,
    outcomes,
    states: places.length,
    edges,
    depth: places.reduce((most, { depth }) => Math.max(most, depth), 0),
    isComplete,
    violations,
    assert: () => assertReport({ violations }),
  }
}
