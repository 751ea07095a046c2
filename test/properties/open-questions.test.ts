/**
 * The inbox, and the status of a run, equal what a replay says whenever the run rests: whichever questions were opened,
 * answered, cancelled, and wherever its process ended meanwhile. At no time is a run listed as suspended that is not.
 */
import fc from 'fast-check'
import { createTool, createTroupe, memoryStore, SignalError, type Run, type Store, type Troupe } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createRegistry } from '../../src/runtime/definition/registry.ts'
import { SignalsOfJournal } from '../../src/runtime/replay/signals-of-journal.ts'
import { createTroupeIn } from '../../src/runtime/troupe/troupe.ts'
import { MortalWorld } from '../durability/crashes/mortal-world.ts'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import type { ScriptedToolCall } from 'troupe/testing'

const inputSchema = z.object({})

/** Agents of a process that ask at each step; what they say depends on their messages alone. */
function company() {
  const remove = createTool({
    id: 'remove',
    description: 'Removes.',
    inputSchema,
    requireApproval: true,
    execute: () => 'removed',
  })
  const choose = createTool({
    id: 'choose',
    description: 'Lets a person choose, twice.',
    inputSchema,
    execute: (_, { suspend, resumeData }) =>
      resumeData === undefined || resumeData === 'again' ? suspend({ asked: true }) : 'chosen',
  })
  const said = (steps: readonly (readonly ScriptedToolCall[])[], last: string) => {
    const replies = steps.map((step) => calls(...step))
    return ({ messages }: { readonly messages: readonly { readonly role: string }[] }) =>
      replies[messages.filter(({ role }) => role === 'assistant').length] ?? last
  }
  const janitor = worker('janitor', [], {
    tools: { remove },
    otherwise: said([[{ name: 'remove' }, { name: 'remove' }]], 'Clean.'),
  })
  const asks = { name: 'remove' }
  return lead('lead', [], {
    tools: { remove, choose },
    agents: { janitor: janitor.agent },
    otherwise: said([[asks, { name: 'choose' }, to('janitor', 'Clean up')], [asks]], 'Done.'),
  }).agent
}

const agents = createRegistry([company()])

/** Holds the inbox to a replay of the journal. */
async function compare(store: Store, runId: string): Promise<void> {
  const journal = (await store.read(runId)) ?? []
  const { signals } = new SignalsOfJournal(agents, journal)
  const open = signals.questions(runId).map(({ question }) => question)
  const inOrder = (a: { readonly toolCallId: string }, b: { readonly toolCallId: string }) =>
    a.toolCallId < b.toolCallId ? -1 : 1
  const { items } = await store.list('questions', { runId })
  // A run whose processes died three times in a row is left, and a replay cannot tell.
  const asked = items.map(({ leftAt: _left, ...question }) => question)
  expect(asked.toSorted(inOrder)).toEqual(open.toSorted(inOrder))
  const [summary] = (await store.list('runs', {})).items
  expect(summary?.awaiting).toEqual(items)
  const status = journal.at(-1)?.type === 'run.settled' ? 'settled' : 'suspended'
  expect(summary).toMatchObject({ status, entries: journal.length })
  for (const other of ['running', 'suspended', 'settled', 'unfinished'] as const) {
    const isListed = other === status || (other === 'unfinished' && status !== 'settled')
    expect((await store.list('runs', { status: other })).items).toHaveLength(isListed ? 1 : 0)
  }
}

/** A store that notes after each append how many entries a run has that it lists as suspended. */
function witnessed(): { readonly store: Store; readonly suspended: Set<number> } {
  const inner = memoryStore()
  const suspended = new Set<number>()
  return {
    suspended,
    store: {
      ...inner,
      async append(appends) {
        const report = await inner.append(appends)
        for (const { entries } of (await inner.list('runs', { status: 'suspended' })).items)
          suspended.add(entries)
        return report
      },
    },
  }
}

/** Holds each suspension that was ever listed to a replay of the journal up to there. */
async function compareHistory(store: Store, suspended: ReadonlySet<number>): Promise<void> {
  const [run] = (await store.list('runs', {})).items
  const troupe = createTroupe({ agents: [company()], store })
  for (const until of suspended) {
    const { events } = await troupe.replay(run?.runId ?? '', { until })
    const last = events.findLast(
      ({ type }) => type === 'suspended' || type === 'resumed' || type === 'run-finish',
    )
    expect([until, last?.type]).toEqual([until, 'suspended'])
  }
  await troupe.close()
}

interface Act {
  readonly verb: 'approve' | 'deny' | 'again' | 'cancel delegation' | 'cancel'
  readonly pick: number
  readonly isAwaited: boolean
}

interface Life {
  /** The point at which the process ends: a store's append or its answer. */
  readonly diesAt: number | undefined
  readonly passivateAfter: number
  readonly acts: readonly Act[]
}

const act: fc.Arbitrary<Act> = fc.record({
  verb: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('approve', 'deny', 'again') },
    { weight: 1, arbitrary: fc.constantFrom('cancel delegation', 'cancel') },
  ),
  pick: fc.nat(5),
  isAwaited: fc.boolean(),
})

const life: fc.Arbitrary<Life> = fc.record({
  diesAt: fc.option(fc.integer({ min: 1, max: 24 }), { nil: undefined }),
  passivateAfter: fc.constantFrom(0, Infinity),
  acts: fc.array(act, { maxLength: 6 }),
})

async function perform(troupe: Troupe, run: Run, { verb, pick }: Act): Promise<void> {
  const { items } = await troupe.awaiting({ runId: run.id })
  const question = items[pick % Math.max(1, items.length)]
  if (question === undefined) return
  const { toolCallId, type } = question
  switch (verb) {
    case 'cancel':
      return run.cancel('enough')
    case 'cancel delegation':
      return run.cancel('enough', { delegationId: 'lead/delegation:1.3' })
    case 'deny':
      return run.deny(toolCallId)
    case 'approve':
    case 'again':
      if (type === 'approval') return run.approve(toolCallId)
      return run.resume(toolCallId, verb === 'again' ? 'again' : 'a')
  }
}

/** An answer may be one that the run does not wait for any more; nobody hears of one in a process that has ended. */
async function performed(acting: Promise<void>, world: MortalWorld): Promise<void> {
  await acting.catch((error: unknown) => {
    if (!(error instanceof SignalError || world.isDead)) throw error
  })
}

/** Returns whether the process lived until its run rested: the inbox was then compared. */
async function live(inner: Store, { diesAt, passivateAfter, acts }: Life): Promise<boolean> {
  const world = new MortalWorld(diesAt)
  const store = world.store(inner)
  const agent = company()
  const troupe = createTroupeIn(world.environment(), { agents: [agent], store, passivateAfter })
  const died = world.died.then(() => 'died' as const)
  const known = (await inner.list('runs', {})).items[0]?.runId
  const run = await Promise.race([
    died,
    known === undefined ? troupe.start(agent, 'Go') : troupe.resume(known),
  ])
  if (run === 'died') return false
  const actings: Promise<void>[] = []
  for (const next of acts) {
    const idle = await Promise.race([died, run.whenIdle])
    if (idle === 'died') return false
    if (idle.outcome !== 'suspended') break
    const acting = performed(perform(troupe, run, next), world)
    actings.push(acting)
    if (next.isAwaited && (await Promise.race([died, acting])) === 'died') return false
  }
  if ((await Promise.race([died, Promise.all(actings)])) === 'died') return false
  if ((await Promise.race([died, run.whenIdle])) === 'died') return false
  await compare(inner, run.id)
  world.end()
  return true
}

test('the inbox equals the open questions of a replay, whatever happens and wherever a process ends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
      const { store, suspended } = witnessed()
      for (const one of lives) await live(store, one)
      const rests = await live(store, { diesAt: undefined, passivateAfter: Infinity, acts: [] })
      expect(rests).toBe(true)
      await compareHistory(store, suspended)
    }),
    { numRuns: 120 },
  )
}, 120_000)

test('a process that ends at any append leaves a run whose questions the next process lists', async () => {
  for (let diesAt = 1; diesAt <= 40; diesAt++) {
    const store = memoryStore()
    const acts: Act[] = (['approve', 'again', 'cancel delegation', 'approve', 'deny'] as const).map(
      (verb, pick) => ({ verb, pick, isAwaited: true }),
    )
    await live(store, { diesAt, passivateAfter: Infinity, acts })
    expect(await live(store, { diesAt: undefined, passivateAfter: 0, acts: [] })).toBe(true)
  }
}, 120_000)
