/** Behaviours 40 and 41 of a fan-out: its journal replays, and another process goes on from wherever it was cut. */
import {
  createTool,
  createTroupe,
  memoryStore,
  type AgentDefinition,
  type FinalResult,
  type JournalEntry,
  type Store,
  textOf,
} from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, only, until, worker } from '../../support/agents/agents.ts'
import { asksFor, divides, enough, fanOut } from '../../support/agents/fan-outs.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'
import { withoutRunId } from '../../support/without-run-id.ts'

/** A fan-out with a tool below it, a child that fails, two rounds, and a nested fan-out. */
function company(performed: string[] = []): AgentDefinition {
  const note = (what: string): void => void performed.push(what)
  const dig = createTool({
    id: 'dig',
    description: 'Digs.',
    inputSchema: z.object({}),
    execute: () => {
      note('dig')
      return 'gold'
    },
  })
  const digger = worker('digger', [], {
    tools: { dig },
    otherwise: ({ messages }) => {
      note('digger')
      return messages.at(-1)?.role === 'tool'
        ? `Dug ${textOf(messages.at(-1)?.content ?? '')}.`
        : calls({ name: 'dig' })
    },
  })
  const scout = worker('scout', [], {
    otherwise: ({ messages }) => {
      const goal = textOf(messages.at(-1)?.content ?? '')
      note(`scout: ${goal}`)
      return goal === 'fail' ? { error: new Error('no') } : `About ${goal}.`
    },
  })
  const inner = fanOut('inner', [], {
    agents: { scout: scout.agent },
    maxRounds: 1,
    otherwise: ({ responseFormat }) => {
      note('inner')
      return responseFormat === undefined ? 'Inner is done.' : divides('deep 1', 'deep 2')
    },
  })
  return fanOut('desk', [], {
    agents: { digger: digger.agent, scout: scout.agent, inner: inner.agent },
    toolCallConcurrency: 2,
    otherwise: ({ responseFormat, messages }) => {
      const isSecond = messages.some(({ content }) => textOf(content).includes('results of round 2'))
      note(`desk: ${responseFormat?.name ?? 'answer'}`)
      if (responseFormat === undefined) return 'All told.'
      if (responseFormat.name === 'assessment')
        return isSecond ? enough : asksFor({ goal: 'once more', agent: 'scout' })
      return divides(
        { goal: 'dig', agent: 'digger' },
        { goal: 'fail', agent: 'scout' },
        { goal: 'look', agent: 'scout' },
        { goal: 'divide', agent: 'inner' },
      )
    },
  }).agent
}

/** A store that takes so many entries and then nothing any more, like that of a process that is gone. */
function dyingStore(inner: Store, entries: number): Store {
  let left = entries
  return {
    ...inner,
    append(appends) {
      const taken = appends.slice(0, left)
      left -= taken.length
      if (taken.length < appends.length) {
        return Promise.resolve(inner.append(taken)).then(() => new Promise<never>(() => undefined))
      }
      return inner.append(taken)
    },
  }
}

/** The same store, long after: whoever had the run has lost it. */
function muchLater(store: Store): Store {
  return {
    ...store,
    claim: (runId, owner, _now, expiresAt) => store.claim(runId, owner, expiresAt, expiresAt + 1),
  }
}

function comparable(result: FinalResult): unknown {
  const { delegations, ...rest } = withoutRunId(result)
  return { ...rest, delegations: delegations.map(({ duration: _duration, ...delegation }) => delegation) }
}

/** What was done: a tool that was at work when the process ended has not ended there, and is asked for again. */
const doneIn = (journal: readonly JournalEntry[]): string[] =>
  journal
    .flatMap((entry) => {
      if (entry.type !== 'effect.settled') return []
      const { value } = entry.settlement
      if (typeof value === 'object' && value !== null && 'type' in value && value.type === 'interrupted')
        return []
      return [entry.key.slice(0, entry.key.lastIndexOf('#'))]
    })
    .toSorted()

describe('a fan-out', () => {
  test('replays to the same result and the same events, and performs nothing', async () => {
    const performed: string[] = []
    const agent = company(performed)
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'All told.' })
    const events = await allEvents(run)
    const before = [...performed]
    expect(before).toContain('scout: once more')
    const replay = await troupe.replay(run.id)
    expect(performed).toEqual(before)
    expect(replay.result).toEqual(result)
    expect(replay.events).toEqual(events)
  })

  test('cut after every entry, it ends elsewhere as it would have ended, and nothing settled is done again', async () => {
    const uncutStore = memoryStore()
    const agent = company()
    const whole = await (await createTroupe({ agents: [agent], store: uncutStore }).start(agent, 'Go')).result
    const journal = (await uncutStore.read(whole.runId)) ?? []
    expect(journal.length).toBeGreaterThan(15)
    for (let cut = 1; cut < journal.length; cut++) {
      const store = memoryStore()
      const dying = company()
      const first = createTroupe({ agents: [dying], store: dyingStore(store, cut), clock: new ManualClock() })
      const { id } = await first.start(dying, 'Go')
      while (((await store.read(id)) ?? []).length < cut) await new Promise(setImmediate)

      const performed: string[] = []
      const second = createTroupe({
        agents: [company(performed)],
        store: muchLater(store),
        clock: new ManualClock(),
      })
      const resumed = await second.resume(id)
      const result = await resumed.result
      expect(comparable(result)).toEqual(comparable(whole))
      const ended = (await store.read(id)) ?? []
      expect(doneIn(ended)).toEqual(doneIn(journal))
      expect(performed).toHaveLength(doneIn(journal).length - doneIn(ended.slice(0, cut)).length)
      const events = await allEvents(resumed)
      const rounds = only(events, 'fan-out').map(({ payload }) => payload.correlationId)
      expect(rounds.map((round) => round.slice(id.length)).toSorted()).toEqual([
        '/desk/delegation:1.4/inner/round-1',
        '/desk/round-1',
        '/desk/round-2',
      ])
      for (const type of ['fan-in', 'synthesis-start'] as const) {
        expect(
          only(events, type)
            .map(({ payload }) => payload.correlationId ?? '')
            .toSorted(),
        ).toEqual(rounds.toSorted())
      }
      expect((await second.replay(id)).result).toEqual(result)
    }
  })

  test('the clock of a round goes on across a restart: what hangs is timed out there, once', async () => {
    const make = (): AgentDefinition => {
      const scout = worker('scout', [], {
        otherwise: ({ messages }) => (messages.at(-1)?.content === 'slow' ? { hang: true } : 'Fast.'),
      })
      return fanOut('desk', [], {
        agents: { scout: scout.agent },
        maxRounds: 1,
        otherwise: ({ responseFormat }) =>
          responseFormat === undefined ? 'Partly.' : divides('slow', 'fast'),
      }).agent
    }
    const store = memoryStore()
    const agent = make()
    const first = createTroupe({ agents: [agent], store, clock: new ManualClock() })
    const run = await first.start(agent, 'Go')
    await until(run, 'delegation-end')
    await first.close()

    const clock = new ManualClock()
    clock.advance(119_000)
    const second = createTroupe({ agents: [make()], store, clock })
    const resumed = await second.resume(run.id)
    expect(clock.due).toEqual([120_000])
    clock.advance(1_000)
    expect(await resumed.result).toMatchObject({
      outcome: 'completed',
      text: 'Partly.',
      delegations: [{ outcome: 'timedOut', duration: 120_000 }, { outcome: 'succeeded' }],
    })
    const journal = (await store.read(run.id)) ?? []
    expect(journal.filter(({ type }) => type === 'timer.fired')).toHaveLength(1)
  })

  test('a completion that comes twice, once from an owner that was taken for dead, counts once', async () => {
    const store = memoryStore()
    const make = (answer: Promise<unknown>) => {
      const scout = worker('scout', [], {
        otherwise: ({ messages }) =>
          messages.at(-1)?.content === 'slow' ? { text: 'Slow.', until: answer } : 'Fast.',
      })
      return fanOut('desk', [], {
        agents: { scout: scout.agent },
        maxRounds: 1,
        otherwise: ({ responseFormat }) =>
          responseFormat === undefined ? 'All told.' : divides('slow', 'fast'),
      })
    }
    const gate = Promise.withResolvers<void>()
    const stale = make(gate.promise)
    const first = createTroupe({ agents: [stale.agent], store, clock: new ManualClock() })
    const run = await first.start(stale.agent, 'Go')
    await until(run, 'delegation-end')

    const fresh = make(Promise.resolve())
    const second = createTroupe({ agents: [fresh.agent], store: muchLater(store), clock: new ManualClock() })
    const resumed = await second.resume(run.id)
    const result = await resumed.result
    const journal = await store.read(run.id)
    expect(result).toMatchObject({ outcome: 'completed', text: 'All told.' })

    gate.resolve()
    await expect(run.result).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(stale.model.calls).toHaveLength(1)
    expect(await store.read(run.id)).toEqual(journal)
    const events = await allEvents(resumed)
    expect(only(events, 'fan-in', 'synthesis-start').map(({ type }) => type)).toEqual([
      'fan-in',
      'synthesis-start',
    ])
    expect(only(events, 'delegation-end')).toHaveLength(2)
  })
})
