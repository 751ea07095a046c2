/** Behaviour 69: a run is watched from any process, without taking it, and a reader goes on behind any event. */
import {
  createTool,
  createTroupe,
  memoryStore,
  type RunEvent,
  type Store,
  type StoreListener,
  type Troupe,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, worker } from '../../support/agents/agents.ts'
import { speaker } from '../../support/agents/speaker.ts'
import { allOf } from '../../support/all-of.ts'

const pollInterval = 5

/** A lead that asks a helper, twice. */
function company(instructions = 'Lead.') {
  return lead('lead', [calls(to('helper', 'Help')), calls(to('helper', 'Again')), 'Done.'], {
    instructions,
    agents: { helper: worker('helper', ['Help.', 'More help.']).agent },
  }).agent
}

const askTool = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'asked',
})

const asking = () => worker('solo', [calls({ name: 'ask' }), 'Done.'], { tools: { ask: askTool } }).agent

const recorded = (events: readonly RunEvent[]) => events.map(({ cursor: _, ...event }) => event)
/** Every event on record once, and each text once, whether it was streamed or came complete. */
function expectSame(seen: readonly RunEvent[], all: readonly RunEvent[]): void {
  const onRecord = (events: readonly RunEvent[]) =>
    events.flatMap(({ type, seq }) =>
      seq === undefined || type === 'text-start' || type === 'text-delta' ? [] : [[seq, type]],
    )
  expect(onRecord(seen)).toEqual(onRecord(all))
  expect(texts(seen).join('')).toBe(texts(all).join(''))
}

async function nextOf(iterator: AsyncIterator<RunEvent>): Promise<RunEvent> {
  const { done, value } = await iterator.next()
  if (done === true) throw new Error('The events have ended.')
  return value
}

const texts = (events: readonly RunEvent[]) => only(events, 'text-delta').map(({ payload }) => payload.text)

describe('a watch', () => {
  test('in another process has the events of the journal, and takes nothing', async () => {
    const store = memoryStore()
    const agent = asking()
    const owner = createTroupe({ agents: [agent], store })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    const claims: string[] = []
    const watching: Store = { ...store, claim: async (...of) => (claims.push(of[0]), store.claim(...of)) }
    const other = createTroupe({ agents: [asking()], store: watching, pollInterval })
    await expect(other.resume(run.id)).rejects.toMatchObject({ code: 'RUN_OWNED' })
    claims.length = 0
    const watch = other.watch(run.id)
    await watch.ready
    const seen = allOf(watch)
    await run.approve('solo/call:1.1')
    await run.result
    expect(await seen).toEqual(await allEvents(run))
    expect(claims).toEqual([])
    expect(watch.diverged).toBeUndefined()
    expect((await allOf(watch.textStream)).join('')).toBe('Done.')
    await Promise.all([owner.close(), other.close()])
  })

  test('goes on behind any event, as a handle does', async () => {
    const store = memoryStore()
    const agent = company()
    const owner = createTroupe({ agents: [agent], store })
    const run = await owner.start(agent, 'Go')
    await run.result
    const events = await allEvents(run)
    const other = createTroupe({ agents: [company()], store, pollInterval })
    for (const [index, { cursor = '' }] of events.entries()) {
      const rest = events.slice(index + 1)
      expect(await allOf(run.eventsAfter(cursor))).toEqual(rest)
      expect(await allOf(other.watch(run.id, { after: cursor }))).toEqual(rest)
    }
    expect((await owner.replay(run.id)).events).toEqual(events)
  })

  test('wakes no suspended run, and goes on when another process continues it', async () => {
    const store = memoryStore()
    const agent = asking()
    const first = createTroupe({ agents: [agent], store, passivateAfter: 0, pollInterval })
    const run = await first.start(agent, 'Go')
    const iterator = first.watch(run.id)[Symbol.asyncIterator]()
    const seen: RunEvent[] = []
    while (seen.at(-1)?.type !== 'suspended') seen.push(await nextOf(iterator))
    await expect.poll(async () => (await store.list('runs', {})).items[0]?.isPassivated).toBe(true)
    const next = iterator.next()
    await new Promise((resolve) => setTimeout(resolve, 5 * pollInterval))
    expect((await store.list('runs', {})).items[0]?.isPassivated).toBe(true)
    const second = createTroupe({ agents: [agent], store })
    const resumed = await second.resume(run.id)
    await resumed.approve('solo/call:1.1')
    await resumed.result
    seen.push((await next).value as RunEvent)
    for (let result = await iterator.next(); result.done !== true; result = await iterator.next()) {
      seen.push(result.value)
    }
    expectSame(seen, await allEvents(resumed))
    await Promise.all([first.close(), second.close()])
  })

  test('goes on without gap and without double when the run comes here', async () => {
    const store = memoryStore()
    const agent = asking()
    const first = createTroupe({ agents: [agent], store })
    const run = await first.start(agent, 'Go')
    await run.whenIdle
    const second = createTroupe({ agents: [agent], store, pollInterval })
    const watches = [second.watch(run.id), second.watch(run.id)]
    const seen = watches.map((watch) => allOf(watch))
    await Promise.all(watches.map(({ ready }) => ready))
    await first.close()
    const resumed = await second.resume(run.id)
    await resumed.approve('solo/call:1.1')
    await resumed.result
    for (const events of await Promise.all(seen)) expectSame(events, await allEvents(resumed))
  })

  test('shares one replay among its readers, and drops it with the last', async () => {
    const store = memoryStore()
    const agent = asking()
    const owner = createTroupe({ agents: [agent], store })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    const whole: number[] = []
    const counting: Store = {
      ...store,
      read: async (runId, from = 0) => (from === 0 && whole.push(from), store.read(runId, from)),
    }
    const other = createTroupe({ agents: [asking()], store: counting, pollInterval })
    const iterators = Array.from({ length: 100 }, () => other.watch(run.id)[Symbol.asyncIterator]())
    await Promise.all(iterators.map((iterator) => iterator.next()))
    expect(whole).toHaveLength(1)
    for (const iterator of iterators) await iterator.return?.()
    await other.watch(run.id)[Symbol.asyncIterator]().next()
    expect(whole).toHaveLength(2)
    await Promise.all([owner.close(), other.close()])
  })

  test('ends for a reader that leaves while it waits', async () => {
    const store = memoryStore()
    const agent = asking()
    const owner = createTroupe({ agents: [agent], store })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    const { cursor: after = '' } = (await owner.replay(run.id)).events.at(-1) ?? {}
    for (const troupe of [owner, createTroupe({ agents: [asking()], store, pollInterval })]) {
      const iterator = troupe.watch(run.id, { after })[Symbol.asyncIterator]()
      const next = iterator.next()
      await iterator.return?.()
      expect(await next).toEqual({ done: true, value: undefined })
      await troupe.close()
    }
  })

  test('ends its text for a reader that leaves while it waits, and drops the replay', async () => {
    const store = memoryStore()
    const agent = asking()
    const owner = createTroupe({ agents: [agent], store })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    let isRead = Promise.withResolvers<void>()
    let unsubscribed = 0
    const telling: Store = {
      ...store,
      subscribe: () => () => void unsubscribed++,
      async read(...of) {
        const entries = await store.read(...of)
        isRead.resolve()
        return entries
      },
    }
    const other = createTroupe({ agents: [asking()], store: telling, pollInterval })
    const watch = other.watch(run.id)
    for (const text of [watch.textStream, run.textStream]) {
      isRead = Promise.withResolvers()
      const iterator = text[Symbol.asyncIterator]()
      const next = iterator.next()
      if (text === watch.textStream) await isRead.promise
      await iterator.return?.()
      expect(await next).toEqual({ done: true, value: undefined })
      expect(await iterator.next()).toEqual({ done: true, value: undefined })
    }
    await expect.poll(() => unsubscribed).toBe(1)
    await Promise.all([owner.close(), other.close()])
  })

  test('goes on where instructions have changed, and tells it; so does a resume', async () => {
    const store = memoryStore()
    const agent = company()
    const run = await createTroupe({ agents: [agent], store }).start(agent, 'Go')
    await run.result
    const changed = createTroupe({ agents: [company('Lead firmly.')], store })
    const watch = changed.watch(run.id)
    expect(recorded(await allOf(watch))).toEqual(recorded(await allEvents(run)))
    expect(watch.diverged).toMatchObject({ entry: 1, key: 'lead/model#1', field: 'digest of the input' })
    expect(await (await changed.resume(run.id)).result).toEqual(await run.result)
  })

  test('is refused with a reason', async () => {
    const store = memoryStore()
    const agent = company()
    const owner = createTroupe({ agents: [agent], store })
    const [run, another] = [await owner.start(agent, 'Go'), await owner.start(agent, 'Go')]
    const { cursor = '' } = (await allEvents(another))[1] ?? {}
    await run.result
    const refuse = (troupe: Troupe, options: object) => () => troupe.watch(run.id, options)
    expect(refuse(owner, { after: 'nonsense' })).toThrow('watch: after must be the cursor of an event')
    expect(refuse(owner, { after: `${cursor}:nonsense` })).toThrow('watch: after must be the cursor')
    expect(refuse(owner, { after: cursor })).toThrow(
      `watch: after is a cursor of the run "${another.id}", and not of the run "${run.id}".`,
    )
    expect(refuse(owner, { afer: cursor })).toThrow('after')
    expect(() => run.eventsAfter(cursor)).toThrow('eventsAfter is a cursor of the run')
    const first = (troupe: Troupe, runId = run.id) => troupe.watch(runId)[Symbol.asyncIterator]().next()
    await expect(first(owner, 'nobody')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    await expect(owner.watch('nobody').ready).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    const other = createTroupe({ agents: [worker('other', []).agent], store })
    await expect(first(other)).rejects.toMatchObject({ code: 'AGENT_NOT_HERE', runId: run.id })
    await owner.close()
    await expect(first(owner)).rejects.toMatchObject({ code: 'TROUPE_CLOSED' })
  })

  test('refuses a hostile cursor as fast as any other', async () => {
    const agent = company()
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    for (const end of ['=', ':', ':%', '=1.1,', '=1.1,,=1.1', '=1.']) {
      const after = `1:${run.id}:${'=1.1111111111'.repeat(1_000)}${end}`
      expect(() => troupe.watch(run.id, { after })).toThrow('watch: after must be the cursor of an event')
    }
    await run.result
  })

  test('is rejected when its troupe is closed, and outlives a store that fails for a while', async () => {
    const store = memoryStore()
    const agent = asking()
    const owner = createTroupe({ agents: [agent], store })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    let failures = 2
    const problems: string[] = []
    const failing: Store = {
      ...store,
      read: async (...of) => {
        if (failures-- > 0) throw new Error('down')
        return store.read(...of)
      },
    }
    const onError = ({ message }: { message: string }): void => void problems.push(message)
    const other = createTroupe({ agents: [asking()], store: failing, pollInterval, onError })
    const iterator = other.watch(run.id)[Symbol.asyncIterator]()
    expect((await iterator.next()).value).toMatchObject({ type: 'run-start' })
    expect(problems).toHaveLength(2)
    const rest = allOf({ [Symbol.asyncIterator]: () => iterator })
    await other.close()
    await expect(rest).rejects.toMatchObject({ code: 'TROUPE_CLOSED', runId: run.id })
    await owner.close()
  })
})

describe('a store that tells of changes', () => {
  /** Longer than any test: a reader that goes on was told. */
  const pollInterval = 86_400_000

  /** A store with `subscribe`; `afterRead` is awaited once, between a read and its result. */
  function telling() {
    const base = memoryStore()
    const listeners = new Set<StoreListener>()
    let afterRead: (() => Promise<unknown>) | undefined
    const store: Store = {
      ...base,
      append: async (appends) => {
        const report = await base.append(appends)
        for (const { runId } of appends) for (const listener of listeners) listener(runId, 'entries')
        return report
      },
      read: async (...of) => {
        const entries = await base.read(...of)
        const act = afterRead
        afterRead = undefined
        await act?.()
        return entries
      },
      subscribe: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    return { base, store, listeners, onNextRead: (act: () => Promise<unknown>) => (afterRead = act) }
  }

  test('is read when it tells, and left with the last reader', async () => {
    const { base, store, listeners } = telling()
    const agent = asking()
    const owner = createTroupe({ agents: [agent], store: { ...base, append: store.append } })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    const other = createTroupe({ agents: [asking()], store, pollInterval })
    const [first, second] = [allOf(other.watch(run.id)), other.watch(run.id)[Symbol.asyncIterator]()]
    await second.next()
    expect(listeners.size).toBe(1)
    await second.return?.()
    await run.approve('solo/call:1.1')
    await run.result
    expect(await first).toEqual(await allEvents(run))
    await expect.poll(() => listeners.size).toBe(0)
    await Promise.all([owner.close(), other.close()])
  })

  test('is read again when it tells during a read', async () => {
    const { base, store, onNextRead } = telling()
    const agent = asking()
    const owner = createTroupe({ agents: [agent], store: { ...base, append: store.append } })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    const other = createTroupe({ agents: [asking()], store, pollInterval })
    onNextRead(async () => {
      await run.approve('solo/call:1.1')
      await run.result
    })
    expect(await allOf(other.watch(run.id))).toEqual(await allEvents(run))
    await Promise.all([owner.close(), other.close()])
  })
})

describe('in the midst of a message', () => {
  const pieces = ['Low ', 'tide ', 'at ', 'noon.']

  /** Reads a run to its end; each piece is said when the one before was read. */
  async function heard(troupe: Troupe, runId: string, say: (index: number) => void) {
    const events: RunEvent[] = []
    let index = 0
    say(index)
    for await (const event of troupe.watch(runId)) {
      events.push(event)
      if (event.type === 'text-delta') say(++index)
    }
    return events
  }

  test('a reader goes on behind each event: every text comes once, and nothing on record twice', async () => {
    const { agent, say } = speaker(pieces)
    const store = memoryStore()
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, 'Go')
    const events = await heard(troupe, run.id, say)
    expect(texts(events)).toEqual(pieces)
    const other = createTroupe({ agents: [speaker(pieces).agent], store })
    for (const [index, { cursor: after = '' }] of events.entries()) {
      for (const each of [troupe, other]) {
        const rest = await allOf(each.watch(run.id, { after }))
        const all = [...events.slice(0, index + 1), ...rest]
        expect(texts(all).join('')).toBe('Low tide at noon.')
        const types = all.filter(({ type }) => type !== 'text-delta').map(({ type }) => type)
        expect(types).toEqual([
          'run-start',
          'step-start',
          'text-start',
          'text-end',
          'step-finish',
          'run-finish',
        ])
        expect(all.every(({ attempt }) => attempt === undefined)).toBe(true)
        const text = allOf(each.watch(run.id, { after }).textStream)
        expect((await text).join('')).toBe(texts(rest).join(''))
      }
    }
  })

  test('a reader that comes late has the text so far at once', async () => {
    const { agent, say } = speaker(pieces)
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const early = troupe.watch(run.id)[Symbol.asyncIterator]()
    say(0)
    say(1)
    for (let text = ''; text !== 'Low tide ';) {
      const { value } = await early.next()
      if (value.type === 'text-delta') text += value.payload.text
    }
    const late = troupe.watch(run.id)[Symbol.asyncIterator]()
    const begun = [await late.next(), await late.next(), await late.next(), await late.next()]
    expect(begun.map(({ value }) => [value.type, value.seq])).toEqual([
      ['run-start', 1],
      ['step-start', 2],
      ['text-start', undefined],
      ['text-delta', undefined],
    ])
    expect(begun[3]?.value.payload.text).toBe('Low tide ')
    say(2)
    say(3)
    const rest = await allOf({ [Symbol.asyncIterator]: () => late })
    expect(texts(rest).join('')).toBe('at noon.')
  })

  test.each([
    ['another text is a new attempt', ['High ', 'tide.'], 'High tide.', 2],
    ['the same words go on', pieces, 'at noon.', undefined],
  ])('of an owner that ended: %s', async (_, again, text, attempt) => {
    const store = memoryStore()
    const { agent, say } = speaker(pieces)
    const first = createTroupe({ agents: [agent], store })
    const run = await first.start(agent, 'Go')
    const iterator = first.watch(run.id)[Symbol.asyncIterator]()
    say(0)
    say(1)
    const seen: RunEvent[] = []
    while (texts(seen).join('') !== 'Low tide ') seen.push(await nextOf(iterator))
    await first.close()
    const { cursor: after = '' } = seen.at(-1) ?? {}
    // A process that only reads sees the message complete, when the next owner has taken it.
    const reader = createTroupe({ agents: [agent], store, pollInterval })
    const rest = allOf(reader.watch(run.id, { after }))
    const next = speaker(again)
    const second = createTroupe({ agents: [next.agent], store })
    const resumed = await second.resume(run.id)
    again.forEach((_piece, index) => next.say(index))
    await resumed.result
    const events = await rest
    const [delta, ...more] = only(events, 'text-delta')
    expect([delta?.payload.text, delta?.attempt, more]).toEqual([text, attempt, []])
    const seqs = events.flatMap(({ seq }) => seq ?? [])
    expect(seqs).toEqual(attempt === undefined ? [4, 5, 6, 7] : [3, 4, 5, 6, 7])
    expect(only(events, 'text-end').map(({ payload }) => payload.status)).toEqual(
      attempt === undefined ? ['complete'] : ['cut', 'complete'],
    )
    await Promise.all([reader.close(), second.close()])
  })
})
