/** Explores every order in which a run of an agent may go, and checks rules at each state. */
import { ConfigurationError } from '../../errors.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { explorationOf, type Exploration } from './exploration.ts'
import { readExplore, type ExploreOptions } from './options.ts'
import { assertReport, type ExploreReport, type Violation } from './report/report.ts'
import { pathsOf } from './report/paths.ts'
import { violationAt } from './report/violation.ts'
import { builtInRules } from './rules/built-in.ts'
import { Monitor } from './rules/monitor.ts'
import type { Visit } from './rules/visit.ts'
import { pathTo, type ExploredGraph, type Place } from './search/graph.ts'
import { graphViolations } from './search/graph-rules.ts'
import { search } from './search/search.ts'
import type { Choice } from './world/choice.ts'
import type { RunState } from './world/run-state.ts'
import { replayDifference } from './world/replayed.ts'

const defaultStates = 20_000

interface Found {
  readonly rule: string
  readonly message: string
  readonly path: readonly Choice[]
}

/**
 * Explores the runs of `agent`: every outcome of every model call, tool and function, in every order, with cancels,
 * crashes and timers at any state. No model and no tool is called. Rejects with a `ConfigurationError` for a wrong
 * option.
 */
export async function explore<Options extends object>(
  agent: AgentDefinition<Options>,
  options: ExploreOptions<Options> = {},
): Promise<ExploreReport> {
  const where = `explore("${agent.id}")`
  const read = readExplore(options, where)
  const exploration = explorationOf(agent, read, where)
  const monitor = new Monitor(read.rules ?? {})
  let searched = await searchOnce(exploration, read, monitor)
  // A rule that asks a new question needs finer keys: the search begins again.
  while (searched.asked < monitor.questions) searched = await searchOnce(exploration, read, monitor)
  const { graph, found } = searched
  assertApart(monitor, read, where)
  for (const { rule, message, place } of graphViolations(graph)) {
    addFirst(found, { rule, message, path: pathTo(place) })
  }
  if (graph.isComplete) {
    for (const rule of monitor.unmet) addFirst(found, { rule, message: 'It holds in no state.', path: [] })
  }
  if (read.recheck !== false) {
    for (const { name, first, second } of await exploration.functions.recheck()) {
      const message = `${name} answered ${JSON.stringify(first)}, and for the same input ${JSON.stringify(second)}.`
      addFirst(found, { rule: 'functions depend on their inputs alone', message, path: [] })
    }
  }
  const violations = [...found.values()]
    .toSorted((a, b) => a.path.length - b.path.length)
    .map((violation) => violationAt(exploration.space.create, violation))
  const paths = () =>
    pathsOf({ graph, subject: exploration.subject, keyOf: (run) => keyOf(exploration, monitor, run) })
  return reportOf(exploration, graph, violations, paths)
}

async function searchOnce(exploration: Exploration, options: ExploreOptions, monitor: Monitor) {
  const { subject, space, budget } = exploration
  const asked = monitor.questions
  const found = new Map<string, Found>()
  const rules = builtInRules({ modelCalls: budget?.modelCalls })
  const crashes = options.adversary?.crash !== false
  const graph = await search(
    {
      ...space,
      keyOf: (world) => keyOf(exploration, monitor, world),
      visit(world, place, step, isNew) {
        const events = world.engine.recorder.log.toArray()
        const before = eventsBefore.get(step?.from ?? place) ?? 0
        if (isNew) eventsBefore.set(place, events.length)
        const visit: Visit = { world, events, before, choice: step?.choice }
        const path = (): readonly Choice[] => (step === undefined ? [] : [...pathTo(step.from), step.choice])
        for (const { name, check } of rules) {
          const message = check(visit)
          if (message !== undefined) addFirst(found, { rule: name, message, path: path() })
        }
        if (world.fault !== undefined) return
        for (const { rule, message } of monitor.check(visit)) addFirst(found, { rule, message, path: path() })
        if (!crashes || !isNew) return
        const difference = replayDifference(subject, world, world.journal)
        if (difference !== undefined) {
          addFirst(found, { rule: 'a replay is the same', message: difference, path: path() })
        }
      },
    },
    { states: options.limits?.states ?? defaultStates },
  )
  return { graph, found, asked }
}

/** The key of a state: that of the run, and the answers to the questions of the rules. */
function keyOf({ space }: Exploration, monitor: Monitor, run: RunState): string {
  return `${space.keyOf(run)} ${monitor.keyOf(run.engine.recorder.log.toArray())}`
}

/** The number of events of each place, by the path on which it was first reached. */
const eventsBefore = new WeakMap<Place, number>()

function addFirst(found: Map<string, Found>, violation: Found): void {
  if (!found.has(violation.rule)) found.set(violation.rule, violation)
}

/** A rule cannot tell interchangeable agents apart. */
function assertApart(monitor: Monitor, { interchangeable = [] }: ExploreOptions, where: string): void {
  const named = monitor.agents.find((agent) => interchangeable.some((group) => group.includes(agent)))
  if (named === undefined) return
  throw new ConfigurationError(
    `${where}: a rule names the agent "${named}", which is interchangeable with others.`,
  )
}

function reportOf(
  exploration: Exploration,
  graph: ExploredGraph,
  violations: readonly Violation[],
  paths: ExploreReport['paths'],
): ExploreReport {
  const outcomes: Record<string, number> = {}
  for (const { rest } of graph.places) if (rest !== undefined) outcomes[rest] = (outcomes[rest] ?? 0) + 1
  return {
    ok: violations.length === 0,
    outcomes,
    states: graph.places.length,
    edges: graph.edges,
    depth: Math.max(...graph.places.map(({ depth }) => depth)),
    isComplete: graph.isComplete,
    violations,
    unsaid: exploration.alphabet.unsaid,
    functionCalls: exploration.functions.size,
    paths,
    assert: () => assertReport({ violations }),
  }
}
