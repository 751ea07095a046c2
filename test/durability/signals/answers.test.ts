/** Behaviours 27 to 29 across troupes: a person answers from anywhere, by the id of the run, each question once. */
import { createTool, createTroupe, memoryStore, type RunSignal, type Store, type TroupeConfig } from 'troupe'
import type { ScriptedStep } from 'troupe/testing'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, toldOfCalls, worker } from '../../support/agents/agents.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { expectPassivated, forever, processOn, recovered, signpost, suspendedBy } from '../processes.ts'
import { listing } from '../../support/listing.ts'

const callId = 'lead/delegation:1.1/janitor/call:1.1'
const approve: RunSignal = { type: 'approve', toolCallId: callId }

/** A lead whose janitor asks before it removes, and asks again which way. */
function house(steps: { lead?: readonly ScriptedStep[]; janitor?: readonly ScriptedStep[] } = {}) {
  const ran: unknown[] = []
  const inputSchema = z.object({})
  const tools = {
    remove: createTool({
      id: 'remove',
      description: 'Removes.',
      inputSchema,
      requireApproval: true,
      execute: () => {
        ran.push('remove')
        return 'removed'
      },
    }),
    choose: createTool({
      id: 'choose',
      description: 'Lets somebody choose.',
      inputSchema,
      execute: (_, { suspend, resumeData }) => {
        if (resumeData === undefined) return suspend({ options: ['a', 'b'] })
        ran.push(resumeData)
        return { chosen: resumeData }
      },
    }),
  }
  const janitor = worker('janitor', steps.janitor ?? [calls({ name: 'remove' }), 'Clean.'], { tools })
  const boss = lead('lead', steps.lead ?? [calls(to('janitor', 'Clean up')), 'All clean.'], {
    agents: { janitor: janitor.agent },
  })
  return { agent: boss.agent, janitor: janitor.model, ran }
}

const rest = { lead: ['All clean.'], janitor: ['Clean.'] }

async function waiting(store: Store, config: Partial<TroupeConfig> = {}, made = house()) {
  const troupe = createTroupe({ agents: [made.agent], store, pollInterval: 5, ...config })
  const run = await troupe.start(made.agent, 'Go')
  await suspendedBy(run)
  return { ...made, troupe, run }
}

describe('an answer by run id', () => {
  test('to a run that is live here', async () => {
    const { troupe, run, ran } = await waiting(memoryStore())
    await troupe.signal(run.id, approve)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All clean.' })
    expect(ran).toEqual(['remove'])
  })

  test('to a run that is live elsewhere is posted: its owner hears of it', async () => {
    const store = memoryStore()
    const { run, ran } = await waiting(store, { passivateAfter: Infinity })
    const other = house()
    const troupe = createTroupe({ agents: [other.agent], store })
    await troupe.signal(run.id, approve)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All clean.' })
    expect([ran, other.ran]).toEqual([['remove'], []])
    expect((await store.read(run.id))?.filter((entry) => entry.type === 'signal.received')).toHaveLength(1)
  })

  test('to a run that is passivated goes on here; who waits for it elsewhere is told its end', async () => {
    const store = memoryStore()
    const { run, ran } = await waiting(store, { passivateAfter: 0 })
    const { result } = run
    await expectPassivated(store)
    const other = house(rest)
    const troupe = createTroupe({ agents: [other.agent], store })
    await troupe.signal(run.id, approve)
    expect(await (await troupe.resume(run.id)).result).toMatchObject({ text: 'All clean.' })
    expect([ran, other.ran]).toEqual([[], ['remove']])
    expect(await result).toEqual(await (await troupe.resume(run.id)).result)
    const told = await allEvents(run)
    const kept = told.filter((event) => event.seq !== undefined)
    expect(kept.map((event) => event.seq)).toEqual(kept.map((_, index) => index + 1))
    expect(await allEvents(await troupe.resume(run.id))).toEqual(kept)
  })

  test('to a run whose process was killed goes on here', async () => {
    const store = memoryStore()
    const made = house()
    const dead = processOn(store, [made.agent])
    const { id } = await dead.troupe.start(made.agent, 'Go')
    await expect.poll(async () => (await store.read(id))?.length).toBe(3)
    dead.end()
    const other = house(rest)
    const { troupe } = processOn(store, [other.agent])
    await troupe.signal(id, approve)
    expect(await (await troupe.resume(id)).result).toMatchObject({ outcome: 'completed', text: 'All clean.' })
    expect([made.ran, other.ran]).toEqual([[], ['remove']])
  })

  test('needs no functions of the run where its owner has them', async () => {
    const store = memoryStore()
    const made = house()
    const owner = createTroupe({ agents: [made.agent], store, pollInterval: 5, passivateAfter: Infinity })
    const run = await owner.start(made.agent, 'Go', { onStepFinish: () => undefined })
    await suspendedBy(run)
    await createTroupe({ agents: [house().agent], store }).signal(run.id, approve)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(made.ran).toEqual(['remove'])
  })

  test('that is refused for want of functions leaves a passivated run as it is', async () => {
    const store = memoryStore()
    const made = house()
    const owner = createTroupe({ agents: [made.agent], store, passivateAfter: 0 })
    const run = await owner.start(made.agent, 'Go', { onStepFinish: () => undefined })
    await suspendedBy(run)
    await expectPassivated(store)
    const other = createTroupe({ agents: [house().agent], store })
    await expect(other.signal(run.id, approve)).rejects.toThrow('Hand them in again: onStepFinish.')
    expect((await store.list('runs', {})).items).toMatchObject([{ isPassivated: true }])
    await run.approve(callId)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })

  test('that was posted while the run was being passivated is not lost', async () => {
    const inner = memoryStore()
    const gate = Promise.withResolvers<void>()
    const asked = signpost<string>()
    const store: Store = {
      ...inner,
      // The other troupe is told that the run is owned, and is slow to post.
      enqueueSignal: async (...args) => {
        asked.pass(args[0])
        await gate.promise
        return inner.enqueueSignal(...args)
      },
    }
    const { run, ran } = await waiting(inner, { passivateAfter: 60, pollInterval: 60_000 })
    const other = house(rest)
    const troupe = createTroupe({
      agents: [other.agent],
      store,
      pollInterval: 60_000,
      passivateAfter: Infinity,
    })
    const told = troupe.signal(run.id, approve)
    await asked.reached
    await expectPassivated(inner)
    gate.resolve()
    await told
    expect(await (await troupe.resume(run.id)).result).toMatchObject({ outcome: 'completed' })
    expect([ran, other.ran]).toEqual([[], ['remove']])
  })

  test('that was posted just before the run was passivated is not lost either', async () => {
    const store = memoryStore()
    const { run, ran } = await waiting(store, { passivateAfter: 60, pollInterval: 60_000 })
    await createTroupe({ agents: [house().agent], store }).signal(run.id, approve)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual(['remove'])
  })

  test('that was fetched for a run while it was being passivated is not lost', async () => {
    const inner = memoryStore()
    const gate = Promise.withResolvers<void>()
    const fetching = signpost<number>()
    const store: Store = {
      ...inner,
      list: listing(inner, 'signals', async (read) => {
        const posts = await read()
        if (posts.items.length === 0) return posts
        fetching.pass(posts.items.length)
        await gate.promise
        return posts
      }),
    }
    const { run, ran } = await waiting(store, { passivateAfter: 40, pollInterval: 5 })
    await createTroupe({ agents: [house().agent], store: inner }).signal(run.id, approve)
    await fetching.reached
    await expectPassivated(inner)
    gate.resolve()
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual(['remove'])
  })

  test('that its owner has in hand when its process is killed is not lost', async () => {
    const inner = memoryStore()
    const made = house()
    const taken = signpost<number>()
    const store: Store = {
      ...inner,
      list: listing(inner, 'signals', async (read) => {
        const posts = await read()
        if (posts.items.length > 0) {
          dead.end()
          taken.pass(posts.items.length)
        }
        return posts
      }),
    }
    const dead = processOn(store, [made.agent], { passivateAfter: Infinity })
    const run = await dead.troupe.start(made.agent, 'Go')
    await suspendedBy(run)
    await createTroupe({ agents: [house().agent], store: inner }).signal(run.id, approve)
    await taken.reached
    const other = house(rest)
    const again = await recovered(processOn(inner, [other.agent]).troupe)
    expect(await again.result).toMatchObject({ outcome: 'completed', text: 'All clean.' })
    expect([made.ran, other.ran]).toEqual([[], ['remove']])
    expect((await inner.list('signals', { runIds: [run.id] })).items).toEqual([])
  })

  test('is told once, however often its owner looks before it is in the journal', async () => {
    const inner = memoryStore()
    const looks = signpost<number>()
    const store: Store = {
      ...inner,
      append: async (appends) => {
        if (appends.some(({ queued }) => queued !== undefined))
          await expect.poll(() => looks.seen.length).toBeGreaterThan(3)
        return inner.append(appends)
      },
      list: listing(inner, 'signals', async (read) => {
        const posts = await read()
        if (posts.items.length > 0) looks.pass(posts.items.length)
        return posts
      }),
    }
    const { run, ran } = await waiting(store, { passivateAfter: Infinity })
    await createTroupe({ agents: [house().agent], store: inner }).signal(run.id, approve)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'All clean.' })
    expect(ran).toEqual(['remove'])
    expect((await inner.read(run.id))?.filter((entry) => entry.type === 'signal.received')).toHaveLength(1)
  })

  test('that the run refuses is removed from the store', async () => {
    const store = memoryStore()
    const said = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { run } = await waiting(store, { passivateAfter: Infinity })
    await store.enqueueSignal(run.id, { type: 'approve', toolCallId: 'nobody' })
    await expect.poll(async () => (await store.list('signals', { runIds: [run.id] })).items).toEqual([])
    expect(said.mock.calls.flat().join(' ')).toContain('nobody')
    said.mockRestore()
    await run.approve(callId)
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })

  test('that waited for a process which ended is found when the store is recovered', async () => {
    const store = memoryStore()
    const { run, troupe: first } = await waiting(store, { passivateAfter: 0 })
    await expectPassivated(store)
    await first.close()
    await store.enqueueSignal(run.id, approve)
    const other = house(rest)
    const troupe = createTroupe({ agents: [other.agent], store })
    expect(await troupe.recover()).toEqual({ runs: [], owned: [], refused: [], left: [] })
    await expect.poll(async () => (await troupe.runs()).items[0]?.outcome).toBe('completed')
    expect(other.ran).toEqual(['remove'])
  })
})

describe('parallel questions', () => {
  const both = calls({ name: 'remove' }, { name: 'choose' })
  const [removal, choice] = [callId, 'lead/delegation:1.1/janitor/call:1.2']
  const answers: Record<string, RunSignal> = {
    removal: { type: 'approve', toolCallId: removal },
    choice: { type: 'resume', toolCallId: choice, data: 'b' },
  }

  test.each([
    ['removal', 'choice'],
    ['choice', 'removal'],
  ])('%s first, then %s, from two troupes', async (one, two) => {
    const store = memoryStore()
    const first = await waiting(store, { passivateAfter: 0 }, house({ janitor: [both] }))
    expect((await suspendedBy(first.run)).awaiting.map(({ toolCallId, type }) => [toolCallId, type])).toEqual(
      [
        [removal, 'approval'],
        [choice, 'suspension'],
      ],
    )
    await expectPassivated(store)
    const second = house({ lead: [], janitor: [] })
    const troupe = createTroupe({ agents: [second.agent], store, passivateAfter: 0 })
    await troupe.signal(first.run.id, answers[one] as RunSignal)
    await expectPassivated(store)
    const third = house(rest)
    const last = createTroupe({ agents: [third.agent], store })
    await last.signal(first.run.id, answers[two] as RunSignal)
    expect(await (await last.resume(first.run.id)).result).toMatchObject({
      outcome: 'completed',
      text: 'All clean.',
    })
    expect(first.ran.concat(second.ran, third.ran)).toHaveLength(2)
    expect(new Set(first.ran.concat(second.ran, third.ran))).toEqual(new Set(['b', 'remove']))
    expect(toldOfCalls(third.janitor, 1)).toEqual(['removed', '{"chosen":"b"}'])
  })

  test('both at once, by id, to a run that is in the store alone', async () => {
    const store = memoryStore()
    const first = await waiting(store, { passivateAfter: 0 }, house({ janitor: [both] }))
    await expectPassivated(store)
    await first.troupe.close()
    const second = house(rest)
    const troupe = createTroupe({ agents: [second.agent], store })
    await Promise.all(Object.values(answers).map((answer) => troupe.signal(first.run.id, answer)))
    expect(await (await troupe.resume(first.run.id)).result).toMatchObject({ outcome: 'completed' })
    expect(second.ran).toHaveLength(2)
    expect(new Set(second.ran)).toEqual(new Set(['b', 'remove']))
  })
})

describe('an answer that the run does not wait for', () => {
  const wrong = [
    ['an unknown id', { type: 'approve', toolCallId: 'nobody' }, 'UNKNOWN_SIGNAL'],
    ['another kind of answer', { type: 'resume', toolCallId: callId }, 'SIGNAL_TYPE_MISMATCH'],
  ] as const

  test.each(wrong)('%s, to a run that is owned elsewhere', async (_, signal, code) => {
    const store = memoryStore()
    const { run, ran, troupe } = await waiting(store, { passivateAfter: Infinity })
    const journal = await store.read(run.id)
    const other = createTroupe({ agents: [house().agent], store })
    await expect(other.signal(run.id, signal)).rejects.toThrow(
      expect.objectContaining({ name: 'SignalError', code, id: signal.toolCallId }),
    )
    expect((await store.list('signals', { runIds: [run.id] })).items).toEqual([])
    expect(await store.read(run.id)).toEqual(journal)
    expect(ran).toEqual([])
    await troupe.close()
  })

  test.each(wrong)('%s, to a run that is passivated', async (_, signal, code) => {
    const store = memoryStore()
    const { run, ran } = await waiting(store, { passivateAfter: 0 })
    await expectPassivated(store)
    const journal = await store.read(run.id)
    await expect(run.signal(signal)).rejects.toThrow(expect.objectContaining({ name: 'SignalError', code }))
    const other = createTroupe({ agents: [house().agent], store, passivateAfter: 0 })
    await expect(other.signal(run.id, signal)).rejects.toThrow(expect.objectContaining({ code }))
    expect(await store.read(run.id)).toEqual(journal)
    expect(ran).toEqual([])
    await expectPassivated(store)
  })

  test('a repeated one, here, elsewhere, and after a restart', async () => {
    const store = memoryStore()
    const hold = signpost<string>()
    const tool = createTool({
      id: 'remove',
      description: 'Removes.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => {
        hold.pass('runs')
        return forever()
      },
    })
    const solo = () => worker('solo', [calls({ name: 'remove' })], { tools: { remove: tool } }).agent
    const id = 'solo/call:1.1'
    const [first, again] = [solo(), expect.objectContaining({ code: 'SIGNAL_ALREADY_ANSWERED', id })]
    const dead = processOn(store, [first])
    const run = await dead.troupe.start(first, 'Go')
    await suspendedBy(run)
    await run.approve(id)
    await expect(run.approve(id)).rejects.toThrow(again)
    await hold.reached
    await expect(run.deny(id)).rejects.toThrow(again)
    await expect(dead.troupe.signal(run.id, { type: 'approve', toolCallId: id })).rejects.toThrow(again)
    const other = createTroupe({ agents: [solo()], store })
    await expect(other.signal(run.id, { type: 'deny', toolCallId: id })).rejects.toThrow(again)
    dead.end()
    const next = processOn(store, [solo()])
    await expect(next.troupe.signal(run.id, { type: 'approve', toolCallId: id })).rejects.toThrow(again)
    await next.troupe.close()
  })

  test('one after a cancel, and one after the end', async () => {
    const store = memoryStore()
    const { run, troupe, ran } = await waiting(store)
    await run.cancel()
    await expect(run.approve(callId)).rejects.toThrow(expect.objectContaining({ code: 'SIGNAL_TOO_LATE' }))
    await run.result
    await expect(run.approve(callId)).rejects.toThrow(expect.objectContaining({ code: 'SIGNAL_TOO_LATE' }))
    await expect(troupe.signal(run.id, approve)).rejects.toThrow(
      expect.objectContaining({ code: 'SIGNAL_TOO_LATE' }),
    )
    const other = createTroupe({ agents: [house().agent], store })
    await expect(other.signal(run.id, approve)).rejects.toThrow(
      expect.objectContaining({ code: 'SIGNAL_TOO_LATE' }),
    )
    expect(ran).toEqual([])
  })

  test('a second one before the owner has polled: the store has accepted the first', async () => {
    using log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const store = memoryStore()
    const { run, ran } = await waiting(store, { passivateAfter: Infinity, pollInterval: 30 })
    const other = createTroupe({ agents: [house().agent], store })
    const told = await Promise.allSettled([other.signal(run.id, approve), other.signal(run.id, approve)])
    expect(told).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { name: 'SignalError', code: 'SIGNAL_ALREADY_ANSWERED' } },
    ])
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(ran).toEqual(['remove'])
    expect(log.mock.calls).toEqual([])
  })

  test('one after its deadline, also when nobody was there as it passed', async () => {
    const tool = createTool({
      id: 'remove',
      description: 'Removes.',
      inputSchema: z.object({}),
      requireApproval: true,
      approvalTimeout: 1_000,
      execute: () => 'removed',
    })
    const solo = (steps: readonly ScriptedStep[]) => worker('solo', steps, { tools: { remove: tool } })
    const store = memoryStore()
    const clock = new ManualClock()
    const first = solo([calls({ name: 'remove' })])
    const dead = processOn(store, [first.agent], { clock })
    const run = await dead.troupe.start(first.agent, 'Go')
    await suspendedBy(run)
    dead.end()
    clock.advance(5_000)
    const next = solo(['It was denied.'])
    const { troupe } = processOn(store, [next.agent], { clock })
    await expect(troupe.signal(run.id, { type: 'approve', toolCallId: 'solo/call:1.1' })).rejects.toThrow(
      expect.objectContaining({ code: 'SIGNAL_TOO_LATE' }),
    )
    const again = await troupe.resume(run.id)
    expect(await again.result).toMatchObject({ outcome: 'completed', text: 'It was denied.' })
    expect(only(await allEvents(again), 'tool-error')).toMatchObject([
      { payload: { outcome: 'denied', error: { code: 'APPROVAL_TIMEOUT' } } },
    ])
  })
})

test('questions and answers that were settled before a restart are told again, and new ones go on from there', async () => {
  const store = memoryStore()
  const made = house({ janitor: [calls({ name: 'remove' }, { name: 'choose' })] })
  const dead = processOn(store, [made.agent])
  const run = await dead.troupe.start(made.agent, 'Go')
  await suspendedBy(run)
  await run.approve(callId)
  const before = await suspendedBy(run)
  dead.end()
  const next = house(rest)
  const again = await recovered(processOn(store, [next.agent]).troupe)
  expect(await suspendedBy(again)).toEqual(before)
  await again.resume('lead/delegation:1.1/janitor/call:1.2', 'a')
  expect(await again.result).toMatchObject({ outcome: 'completed' })
  expect([made.ran, next.ran]).toEqual([['remove'], ['a']])
  expect(
    only(await allEvents(again), 'suspended', 'resumed').map(({ type, payload }) =>
      'awaiting' in payload ? [type, payload.awaiting.length] : [type, payload.toolCallId],
    ),
  ).toEqual([
    ['suspended', 2],
    ['resumed', callId],
    ['suspended', 1],
    ['resumed', 'lead/delegation:1.1/janitor/call:1.2'],
  ])
})
