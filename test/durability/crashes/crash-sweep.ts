/**
 * A run that is cut at one point and finished by another process, and what must hold then: it ends as it would have
 * ended, what was settled was not done again, and nothing was left out.
 */
import {
  memoryStore,
  SignalError,
  TroupeError,
  type AnyAgent,
  type Clock,
  type FinalResult,
  type JournalEntry,
  type Prompt,
  type Run,
  type Store,
  type Troupe,
} from 'troupe'
import { expect } from 'vitest'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { allEvents } from '../../support/agents/agents.ts'
import { MortalWorld, type Ending } from './mortal-world.ts'
import { withoutRunId } from '../../support/without-run-id.ts'

/** Makes the agents of a process anew; what they do outside passes through its world. */
export type Company = (world: MortalWorld) => AnyAgent

interface Finished {
  readonly run: Run
  readonly result: FinalResult
}

/** What a run that nothing happened to comes to. */
export interface Uncut {
  readonly points: number
  readonly result: unknown
  readonly counts: Record<string, number>
}

export async function uncut(company: Company, task: Prompt = 'Go', store = memoryStore()): Promise<Uncut> {
  const world = new MortalWorld()
  const troupe = open(company(world), store, world, 0)
  const { run, result } = await finish(await troupe.troupe.start(troupe.agent, task))
  const counts = settledCounts((await store.read(run.id)) ?? [])
  await troupe.troupe.close()
  return { points: world.points, result: comparable(result), counts }
}

interface CutOptions {
  readonly task?: Prompt
  readonly ending?: Ending
  /** The effects that pass through the world. Default: all. */
  readonly seen?: (name: string) => boolean
  /** What it does depends on what its process remembers: only where it gets to is compared. */
  readonly forgets?: boolean
  /** Default: in memory. */
  readonly store?: Store
}

/** Ends the process at `points`, one after the other, and each time the next one goes on. */
export async function expectCut(
  company: Company,
  whole: Uncut,
  points: readonly number[],
  {
    task = 'Go',
    ending = 'vanishes',
    seen = () => true,
    forgets = false,
    store = memoryStore(),
  }: CutOptions = {},
): Promise<void> {
  let processes = 0
  for (const point of [...points, Number.POSITIVE_INFINITY]) {
    const world = new MortalWorld(point, ending)
    const before = settledCounts(await onlyJournal(store))
    const { troupe, agent } = open(company(world), store, world, processes++)
    world.close = () => troupe.close()
    const going = goOn(troupe, agent, task).catch((error: unknown) => {
      if (world.isDead && isCut(error)) return undefined
      throw error
    })
    const finished = await Promise.race([going, world.died.then(() => undefined)])
    if (ending === 'closes') await going // whatever was handed out settles
    if (finished === undefined || world.isDead) {
      await world.died
      continue
    }
    // It has lived to the end: everything that it did is new, and is on record.
    const journal = await onlyJournal(store)
    const after = settledCounts(journal)
    if (forgets) {
      const { outcome, text } = finished.result
      expect(whole.result).toMatchObject({ outcome, text })
    } else {
      expect(comparable(finished.result)).toEqual(whole.result)
      expect(after).toEqual(whole.counts)
    }
    const added = Object.entries(difference(after, before)).filter(([name]) => seen(name))
    expect(counted(world.performed)).toEqual(Object.fromEntries(added))
    const seqs = (await allEvents(finished.run)).map((event) => event.seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    if ((points[0] ?? 0) % 8 === 0) {
      expect((await troupe.replay(finished.run.id)).result).toEqual(finished.result)
    }
    await troupe.close()
    return
  }
  throw new Error('No process lived to the end of the run.')
}

function open(agent: AnyAgent, store: Store, world: MortalWorld, processes: number) {
  const troupe = createTroupeIn(world.environment(), {
    agents: [agent],
    store: world.store(store),
    clock: hastyClock(1_000 + 10_000 * processes),
    passivateAfter: Number.POSITIVE_INFINITY,
  })
  return { troupe, agent }
}

/** Recovers the run, or starts it when its beginning was not kept. */
async function goOn(troupe: Troupe, agent: AnyAgent, task: Prompt): Promise<Finished> {
  const { runs, refused, owned } = await troupe.recover()
  expect({ refused, owned }).toEqual({ refused: [], owned: [] })
  const [recovered] = runs
  if (recovered !== undefined) return finish(recovered)
  const [ended] = (await troupe.runs()).items
  return finish(ended === undefined ? await troupe.start(agent, task) : await troupe.resume(ended.runId))
}

/** Answers every question, also those that were answered before, until the run has ended. */
export async function finish(run: Run): Promise<Finished> {
  for await (const event of run.events) {
    if (event.type === 'suspended') {
      for (const { toolCallId, type } of event.payload.awaiting) {
        void attempt(
          type === 'approval'
            ? run.approve(toolCallId)
            : run.resume(toolCallId, type === 'interruption' ? { retry: true } : { ok: true }),
        )
      }
    }
  }
  return { run, result: await run.result }
}

/** What a handle says of a run whose troupe was closed, or whose store is broken. */
function isCut(error: unknown): boolean {
  return error instanceof TroupeError && ['TROUPE_CLOSED', 'STORE_FAILED'].includes(error.code)
}

/** Not waited for: a process that is cut off hears nothing more. */
async function attempt(answer: Promise<void>): Promise<void> {
  try {
    await answer
  } catch (error) {
    if (!(error instanceof SignalError) && !isCut(error)) throw error
  }
}

async function onlyJournal(store: Store): Promise<readonly JournalEntry[]> {
  const [run] = (await store.list('runs', {})).items
  return run === undefined ? [] : ((await store.read(run.runId)) ?? [])
}

/** How often each effect has an outcome of its own; one that was interrupted has none. */
function settledCounts(journal: readonly JournalEntry[]): Record<string, number> {
  return counted(
    journal.flatMap((entry) => {
      if (entry.type !== 'effect.settled') return []
      if ((entry.settlement.value as { type?: string } | undefined)?.type === 'interrupted') return []
      return [nameOf(entry.kind, entry.key)]
    }),
  )
}

function nameOf(kind: string, key: string): string {
  const slash = key.lastIndexOf('/')
  const path = key.slice(0, slash)
  const id = key.slice(slash + 1, key.lastIndexOf('#'))
  switch (kind) {
    case 'tool':
      return `tool ${path}`
    case 'hook':
      return `hook ${id.slice(id.indexOf(':') + 1)} ${path.slice(path.lastIndexOf('/') + 1)}`
    case 'scorer':
      return `scorer ${id.slice(id.indexOf(':') + 1)}`
    default:
      return `${kind} ${key}`
  }
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

function difference(all: Record<string, number>, less: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, count]) => {
      const left = count - (less[name] ?? 0)
      return left === 0 ? [] : [[name, left]]
    }),
  )
}

/** As `comparable`, without the threads: those of a fork are its own. */
export function comparableFork(result: FinalResult): unknown {
  const text = JSON.stringify(comparable(result), (key, part: unknown) => (key === 'threadId' ? 'own' : part))
  return JSON.parse(text)
}

/** Everything but what differs from run to run: its id, durations, and which of two siblings ended first. */
export function comparable(result: FinalResult): unknown {
  const { delegations, errors, ...rest } = withoutRunId(result)
  return {
    ...rest,
    errors: errors.map((error) => JSON.stringify(error)).toSorted(),
    delegations: delegations
      .map(({ duration: _duration, ...delegation }) => delegation)
      .toSorted((a, b) => a.id.localeCompare(b.id)),
  }
}

/** Every delay is over at the next turn of the event loop; timeouts never come. */
export function hastyClock(start: number): Clock {
  let now = start
  return {
    now: () => ++now,
    after(delay, callback) {
      if (delay >= 15_000) return () => undefined
      const handle = setImmediate(callback)
      return () => clearImmediate(handle)
    },
  }
}
