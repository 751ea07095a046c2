/** Messages that are sent again, that come from other processes, and that are refused again and again. */
import { createTroupe, memoryStore, SignalError, textOf, TroupeError, type Problem, type Store } from 'troupe'
import { describe, expect, test } from 'vitest'
import { calls, shown, until, worker } from '../../support/agents/agents.ts'
import { guarded } from '../../support/agents/guarded.ts'
import { done, router } from '../../support/agents/routing.ts'
import { listing } from '../../support/listing.ts'

const callId = 'solo/call:1.1'

/** An agent that waits for a person at its first step. */
function waiting() {
  return worker('solo', [calls({ name: 'guarded', args: {} }), 'Done.'], { tools: { guarded } })
}

/** An agent that is at its end until it is told to end. */
function ending() {
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const { agent } = worker('solo', ['Done.'], {
    onFinish: async () => {
      reached.resolve()
      await gate.promise
    },
  })
  return { agent, reached: reached.promise, end: () => gate.resolve() }
}

async function codeOf(saying: Promise<void>): Promise<string> {
  try {
    await saying
  } catch (error) {
    if (error instanceof SignalError || error instanceof TroupeError) return error.code
    throw error
  }
  return 'taken'
}

function said(model: Parameters<typeof shown>[0], call: number): readonly string[] {
  return shown(model, call).flatMap((message) =>
    message.role === 'user' && message.internal === 'said' ? [textOf(message.content)] : [],
  )
}

const says = (journal: readonly { readonly type: string }[]) =>
  journal.filter((entry) => JSON.stringify(entry).includes('"type":"say"')).length

describe('a message that is sent again with its id', () => {
  test('is told once, also after a restart', async () => {
    const { agent, model } = waiting()
    const store = memoryStore()
    const first = createTroupe({ agents: [agent], store })
    const run = await first.start(agent, 'Go')
    await run.whenIdle
    await Promise.all([run.say('Be brief.', { id: 'm1' }), run.say('Be brief.', { id: 'm1' })])
    await run.say('Be brief.', { id: 'm1' })
    await first.close()
    const second = createTroupe({ agents: [agent], store })
    await second.signal(run.id, { type: 'say', message: 'Be brief.', id: 'm1' })
    const resumed = await second.resume(run.id)
    await resumed.approve(callId)
    await resumed.result
    expect(said(model, 2)).toEqual(['Be brief.'])
    await second.close()
  })

  test('is refused again where it was refused', async () => {
    const { agent, reached, end } = ending()
    const run = agent.stream('Go')
    await reached
    expect(await codeOf(run.say('Wait!', { id: 'm1' }))).toBe('SIGNAL_TOO_LATE')
    expect(await codeOf(run.say('Wait!', { id: 'm1' }))).toBe('SIGNAL_TOO_LATE')
    end()
    await run.result
  })
})

describe('a message to a run that another process has', () => {
  test('resolves when the agent has taken it, and is told once', async () => {
    const { agent, model } = waiting()
    const store = memoryStore()
    const owner = createTroupe({ agents: [agent], store, pollInterval: 5, passivateAfter: Infinity })
    const other = createTroupe({ agents: [agent], store, pollInterval: 5 })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    const say = { type: 'say', message: 'Be brief.', id: 'm1' } as const
    await other.signal(run.id, say)
    expect(says(await other.journal(run.id))).toBe(1)
    await other.signal(run.id, say)
    await run.approve(callId)
    await run.result
    expect(said(model, 2)).toEqual(['Be brief.'])
    await Promise.all([owner.close(), other.close()])
  })

  test('is refused as it would be there, with and without an entry', async () => {
    const { agent, reached, end } = ending()
    const store = memoryStore()
    const problems: unknown[] = []
    const onError = (problem: unknown) => void problems.push(problem)
    const owner = createTroupe({ agents: [agent], store, pollInterval: 5, onError })
    const other = createTroupe({ agents: [agent], store, pollInterval: 5 })
    const run = await owner.start(agent, 'Go')
    await reached
    const say = () => codeOf(other.signal(run.id, { type: 'say', message: 'Wait!' }))
    expect(await say()).toBe('SIGNAL_TOO_LATE')
    expect(await say()).toBe('SIGNAL_TOO_LATE')
    expect(says(await other.journal(run.id))).toBe(1)
    expect(problems).toHaveLength(2) // the sender may be gone by then
    end()
    await run.result
    await Promise.all([owner.close(), other.close()])
  })

  test('resolves where the store cannot tell of changes: that is reported, and the store is polled', async () => {
    const { agent } = waiting()
    const { subscribe: _subscribe, ...store } = memoryStore()
    const broken = {
      ...store,
      subscribe() {
        throw new Error('no listeners today')
      },
    }
    const problems: string[] = []
    const onError = ({ message }: Problem) => void problems.push(message)
    const owner = createTroupe({ agents: [agent], store, pollInterval: 5, passivateAfter: Infinity })
    const other = createTroupe({ agents: [agent], store: broken, pollInterval: 5, onError })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    await other.signal(run.id, { type: 'say', message: 'Be brief.' })
    expect(says(await other.journal(run.id))).toBe(1)
    expect(problems).toContain('the store cannot tell of changes; it is polled')
    await run.cancel()
    await Promise.all([owner.close(), other.close()])
  })

  test('is not missed where the store tells of it while its sender looks', async () => {
    const { agent } = waiting()
    const store = memoryStore()
    const looked = Promise.withResolvers<void>()
    let look: 'to come' | 'begun' | 'over' = 'to come'
    /** Its sender finds the message in the queue, and reads the journal as it was before the owner took the message. */
    const ofSender: Store = {
      ...store,
      list: listing(store, 'signals', async (read) => {
        const queued = await read()
        if (queued.items.length > 0 && look === 'to come') look = 'begun'
        return queued
      }),
      async read(runId, from) {
        const entries = await store.read(runId, from)
        if (look !== 'begun') return entries
        look = 'over'
        looked.resolve()
        await expect.poll(async () => says((await store.read(runId)) ?? [])).toBe(1)
        return entries
      },
    }
    const ofOwner: Store = {
      ...store,
      list: listing(store, 'signals', async (read) => {
        await looked.promise
        return read()
      }),
    }
    const owner = createTroupe({ agents: [agent], store: ofOwner, pollInterval: 5, passivateAfter: Infinity })
    const other = createTroupe({ agents: [agent], store: ofSender, pollInterval: 3_600_000 })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    await other.signal(run.id, { type: 'say', message: 'Be brief.' })
    expect(says(await other.journal(run.id))).toBe(1)
    await run.cancel()
    await Promise.all([owner.close(), other.close()])
  })

  test('of which nothing is heard rejects when the troupe is closed, and is still told', async () => {
    const { agent, model } = waiting()
    const { subscribe: _subscribe, ...store } = memoryStore()
    const deaf = { ...store, list: listing(store, 'signals', async () => ({ items: [] })) }
    const owner = createTroupe({ agents: [agent], store: deaf, passivateAfter: Infinity })
    const other = createTroupe({ agents: [agent], store, pollInterval: 3_600_000 })
    const run = await owner.start(agent, 'Go')
    await run.whenIdle
    const code = codeOf(other.signal(run.id, { type: 'say', message: 'Be brief.' }))
    await expect.poll(async () => (await store.list('signals', { runIds: [run.id] })).items.length).toBe(1)
    await other.close()
    expect(await code).toBe('TROUPE_CLOSED')
    await owner.close()
    const third = createTroupe({ agents: [agent], store })
    const resumed = await third.resume(run.id)
    await until(resumed, 'said')
    await resumed.approve(callId)
    await resumed.result
    expect(said(model, 2)).toEqual(['Be brief.'])
    await third.close()
  })
})

describe('refusals', () => {
  test('one is on record until the run goes on', async () => {
    const helper = worker('helper', ['Helped.'])
    const { agent } = router('router', [done('No need.')], { agents: { helper: helper.agent } })
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go', {
      inputProcessors: [
        {
          id: 'wait',
          processInput: async ({ messages }) => {
            reached.resolve()
            await gate.promise
            return messages
          },
        },
      ],
    })
    await reached.promise
    for (let index = 0; index < 20; index++) {
      expect(await codeOf(run.say(`Hello ${index}?`))).toBe('SIGNAL_NOT_SUPPORTED')
    }
    expect(says(await troupe.journal(run.id))).toBe(1)
    gate.resolve()
    const result = await run.result
    expect((await troupe.replay(run.id)).result).toEqual(result)
    await troupe.close()
  })

  test('beyond eight on their way there is none on record', async () => {
    const { agent } = waiting()
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await until(run, 'tool-call-approval')
    const codes = await Promise.all(
      Array.from({ length: 30 }, (_, index) => codeOf(run.say(`And ${index}.`))),
    )
    expect(codes.filter((code) => code === 'taken')).toHaveLength(8)
    expect(new Set(codes.slice(8))).toEqual(new Set(['SIGNAL_TOO_MANY']))
    expect(says(await troupe.journal(run.id))).toBe(8)
    await run.approve(callId)
    await run.result
    await troupe.close()
  })
})
