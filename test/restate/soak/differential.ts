/** The same run on both engines, and what must be the same of it. */
import {
  createTroupe,
  type AnyAgent,
  type BudgetOptions,
  type CallOptions,
  type Store,
  memoryStore,
  type FinalResult,
  type JournalEntry,
  type RunEvent,
  type RunSignal,
  type Trail,
} from 'troupe'
import { restateTroupe, type RunExport } from 'troupe/restate'
import { watched } from './differential-watch.ts'
import type { SeededTeam } from './seeded-team.ts'

/** Who works, and what the one who watches says. */
export type Team = Pick<SeededTeam, 'root' | 'answer' | 'performed'> & {
  readonly moments?: SeededTeam['moments']
  /** What a function of the run may choose among. */
  readonly others?: readonly AnyAgent[]
}

export interface CourseOptions {
  readonly options?: CallOptions & { readonly budget?: BudgetOptions }
  readonly store?: Store
  readonly interpreter?: 'tables' | 'xstate'
}

/** What of a run must not depend on the engine. */
export interface Course {
  readonly outcome: string
  readonly text: string
  readonly reason: string | undefined
  readonly delegations: readonly string[]
  readonly tokens: number
  /** The limits of the budget that came near, sorted. */
  readonly warnings: readonly string[]
  /** The types of events, in their order, by the path of the actor that told them. */
  readonly events: Readonly<Record<string, readonly string[]>>
  /** The same of a watch that takes nothing. */
  readonly watched: Readonly<Record<string, readonly string[]>>
  /** The outermost states that each actor went through, by its path. */
  readonly routes: Readonly<Record<string, readonly string[]>>
  /** Keys of the settled effects, sorted. */
  readonly effects: readonly string[]
  /** Keys of the tool calls that were performed, each with how often: no engine tries again what the other does not. */
  readonly performed: readonly string[]
}

/** Of the run as a whole, and of when: not of what happened. */
const ofTiming: ReadonlySet<string> = new Set(['suspended', 'resumed', 'budget-warning'])

function courseOf(
  team: Team,
  result: FinalResult,
  events: readonly RunEvent[],
  watchedEvents: readonly RunEvent[],
  journal: readonly JournalEntry[],
  trail: Trail,
): Course {
  const effects = journal.flatMap((entry) => {
    if (entry.type === 'timer.fired') return [entry.key]
    const isCounted = entry.type === 'effect.settled' && entry.kind !== 'agent' && entry.late !== true
    return isCounted ? [entry.key] : []
  })
  return {
    outcome: result.outcome,
    text: result.text,
    reason: 'reason' in result ? result.reason : undefined,
    delegations: result.delegations.map(
      ({ id, agent, outcome, text }) => `${id} ${agent} ${outcome} ${text}`,
    ),
    tokens: result.usage.totalTokens,
    warnings: events
      .flatMap((event) => (event.type === 'budget-warning' ? [event.payload.limit] : []))
      .toSorted(),
    events: typesByPath(events),
    watched: typesByPath(watchedEvents),
    routes: routesOf(trail),
    effects: effects.toSorted(),
    performed: Array.from(team.performed, ([key, count]) => `${key} ${count}`).toSorted(),
  }
}

function typesByPath(events: readonly RunEvent[]): Course['events'] {
  const byPath: Record<string, string[]> = {}
  for (const { type, path } of events) {
    if (!ofTiming.has(type)) (byPath[path] ??= []).push(type)
  }
  return sorted(byPath)
}

/** The outermost states of a trail, without those of proxies of agents elsewhere, and without waiting: that is of timing. */
function routesOf(trail: Trail): Course['routes'] {
  const routes: Record<string, string[]> = {}
  for (const { path, machine, from, to } of trail.entries.flatMap(({ transitions }) => transitions)) {
    if (machine === 'remote-agent') continue
    const route = (routes[path] ??= [])
    for (const state of [from, to].map((name) => name.split('.', 1)[0] ?? name))
      if (state !== 'suspended' && route.at(-1) !== state) route.push(state)
  }
  return sorted(routes)
}

function sorted<Value>(byPath: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(byPath).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

interface Told {
  readonly events: AsyncIterable<RunEvent>
  signal(signal: RunSignal): unknown
}

/** A person who answers whatever is asked, and cancels, in the team's way. */
async function attend(team: Team, run: Told): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  const said: Promise<unknown>[] = []
  team.moments?.listen((cancel) => said.push((async () => run.signal(cancel))()))
  for await (const event of run.events) {
    events.push(event)
    team.moments?.see(event)
    if (event.type === 'tool-call-approval')
      await run.signal(team.answer(event.payload.toolCallId, 'approval'))
    if (event.type === 'tool-call-suspended')
      await run.signal(team.answer(event.payload.toolCallId, 'suspension'))
  }
  await Promise.all(said)
  return events
}

export async function courseHere(
  team: Team,
  prompt: string,
  { options = {}, store = memoryStore(), interpreter = 'tables' }: CourseOptions = {},
): Promise<Course> {
  const agents = [team.root, ...(team.others ?? [])]
  const troupe = createTroupe({ agents, store, interpreter })
  const run = await troupe.start(team.root, prompt, options)
  await attend(team, run)
  const result = await run.result
  const { events } = await troupe.replay(run.id)
  const [journal, trail] = [await troupe.journal(run.id), await troupe.trail(run.id)]
  await troupe.close()
  const other = createTroupe({ agents, store })
  const course = courseOf(team, result, events, await watched(other, run.id, events), journal, trail)
  await other.close()
  return course
}

export async function courseOnRestate(
  team: Team,
  prompt: string,
  config: Omit<Parameters<typeof restateTroupe>[0], 'agents'>,
  { options = {} }: Pick<CourseOptions, 'options'> = {},
): Promise<Course> {
  const troupe = restateTroupe({ ...config, agents: [team.root, ...(team.others ?? [])] })
  const run = await troupe.start(team.root, prompt, options)
  const seen = await attend(team, run)
  const result = await run.result
  // What a reader saw and what an export holds are one: the export goes through JSON, as a file would.
  const exported = JSON.parse(JSON.stringify(await troupe.journal(run.id))) as RunExport
  const replay = await troupe.replay(exported)
  if (JSON.stringify(replay.result) !== JSON.stringify(result)) {
    throw new Error(`The replay ended otherwise: ${JSON.stringify([result, replay.result])}`)
  }
  const [live, told] = [seen, replay.events].map((events) => JSON.stringify(typesByPath(events)))
  if (live !== told) throw new Error(`Who read along saw something else: ${live} and not ${told}`)
  const journal = exported.parts.flatMap(({ turns }) => turns.flat())
  const seenByWatch = await watched(troupe, run.id, replay.events)
  return courseOf(team, result, replay.events, seenByWatch, journal, await troupe.trail(exported))
}
