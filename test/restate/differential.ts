/** The same run on both engines, and what must be the same of it. */
import {
  createTroupe,
  memoryStore,
  type FinalResult,
  type JournalEntry,
  type RunEvent,
  type RunSignal,
} from 'troupe'
import { restateTroupe, type RunExport } from 'troupe/restate'
import type { SeededTeam } from './seeded-team.ts'

/** What of a run must not depend on the engine. */
export interface Course {
  readonly outcome: string
  readonly text: string
  readonly reason: string | undefined
  readonly delegations: readonly string[]
  readonly tokens: number
  /** The types of events, in their order, by the path of the actor that told them. */
  readonly events: Readonly<Record<string, readonly string[]>>
  /** Keys of the settled effects, sorted. */
  readonly effects: readonly string[]
  /** Keys of the tool calls that were performed. */
  readonly performed: readonly string[]
}

/** Of the run as a whole, and of when: not of what happened. */
const ofTiming: ReadonlySet<string> = new Set(['suspended', 'resumed'])

function courseOf(
  team: SeededTeam,
  result: FinalResult,
  events: readonly RunEvent[],
  journal: readonly JournalEntry[],
): Course {
  const byPath: Record<string, string[]> = {}
  for (const { type, path } of events) {
    if (!ofTiming.has(type)) (byPath[path] ??= []).push(type)
  }
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
    events: Object.fromEntries(Object.entries(byPath).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    effects: effects.toSorted(),
    performed: [...team.performed.keys()].toSorted(),
  }
}

interface Told {
  readonly events: AsyncIterable<RunEvent>
  signal(signal: RunSignal): unknown
}

/** A person who answers whatever is asked, in the team's way. */
async function attend(team: SeededTeam, run: Told): Promise<void> {
  for await (const event of run.events) {
    if (event.type === 'tool-call-approval')
      await run.signal(team.answer(event.payload.toolCallId, 'approval'))
    if (event.type === 'tool-call-suspended')
      await run.signal(team.answer(event.payload.toolCallId, 'suspension'))
  }
}

export async function courseHere(team: SeededTeam, prompt: string): Promise<Course> {
  const troupe = createTroupe({ agents: [team.root], store: memoryStore() })
  const run = await troupe.start(team.root, prompt)
  await attend(team, run)
  const result = await run.result
  const { events } = await troupe.replay(run.id)
  const course = courseOf(team, result, events, await troupe.journal(run.id))
  await troupe.close()
  return course
}

export async function courseOnRestate(
  team: SeededTeam,
  prompt: string,
  config: Omit<Parameters<typeof restateTroupe>[0], 'agents'>,
): Promise<Course> {
  const troupe = restateTroupe({ ...config, agents: [team.root] })
  const run = await troupe.start(team.root, prompt)
  await attend(team, run)
  const result = await run.result
  // What a reader saw and what an export holds are one: the export goes through JSON, as a file would.
  const exported = JSON.parse(JSON.stringify(await troupe.journal(run.id))) as RunExport
  const replay = await troupe.replay(exported)
  if (JSON.stringify(replay.result) !== JSON.stringify(result)) {
    throw new Error(`The replay ended otherwise: ${JSON.stringify([result, replay.result])}`)
  }
  const journal = exported.parts.flatMap(({ turns }) => turns.flat())
  return courseOf(team, result, replay.events, journal)
}
