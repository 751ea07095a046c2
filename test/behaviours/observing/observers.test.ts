/** Observers: agents at work in a process, and the trace context of runs that begin. */
import { createTool, createTroupe, memoryStore, type Observer, type Problem } from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Writes down the beginning and the end of each agent's work. */
function diary() {
  const lines: string[] = []
  const observer: Observer = {
    agent: ({ path, task = '-' }) => {
      lines.push(`${path} begins: ${task}`)
      return ({ outcome, text }) => lines.push(`${path} ${outcome}${text === undefined ? '' : `: ${text}`}`)
    },
  }
  return { lines, observer }
}

const ask = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'allowed',
})

const asking = calls({ name: 'ask', args: {} })

function company() {
  const { agent: helper } = worker('helper', [asking, 'Helped.'], { tools: { ask } })
  return lead('boss', [calls(to('helper', 'Help me')), 'Done.'], { agents: { helper } }).agent
}

const question = 'boss/delegation:1.1/helper/call:1.1'

describe('an agent', () => {
  test('works from its first effect to its end or a suspension, in whichever process it goes on', async () => {
    const store = memoryStore()
    const agent = company()
    const first = diary()
    const before = createTroupe({ agents: [agent], store, around: first.observer })
    const run = await before.start(agent, 'Go')
    await run.whenIdle
    await before.close()
    expect(first.lines).toEqual([
      'boss begins: Go',
      'boss/delegation:1.1/helper begins: Help me',
      'boss/delegation:1.1/helper suspended',
      'boss suspended',
    ])
    const second = diary()
    const after = createTroupe({
      agents: [agent],
      store,
      around: [() => undefined, second.observer],
      onError: () => undefined,
    })
    const resumed = await after.resume(run.id)
    await resumed.approve(question)
    await resumed.result
    expect(second.lines).toEqual([
      'boss begins: Go',
      'boss/delegation:1.1/helper begins: Help me',
      'boss/delegation:1.1/helper succeeded: Helped.',
      'boss completed: Done.',
    ])
    await after.replay(run.id)
    await after.resume(run.id)
    expect(second.lines).toHaveLength(4)
    await after.close()
  })

  test('works again after each suspension, and ends with a handoff', async () => {
    const { lines, observer } = diary()
    const { agent: writer } = worker('writer', [asking, 'Written.'], { tools: { ask } })
    const { agent } = worker('desk', [calls({ name: 'transfer-to-writer', args: { reason: 'yours' } })], {
      handoffs: [writer],
    })
    const troupe = createTroupe({ agents: [agent], around: observer, passivateAfter: 0 })
    const run = await troupe.start(agent, 'Write')
    await run.whenIdle
    await run.approve('writer~1/call:1.1')
    await run.result
    expect(lines).toEqual([
      'desk begins: Write',
      'desk handoff',
      'writer~1 begins: -',
      'writer~1 suspended',
      'writer~1 begins: -',
      'writer~1 completed: Written.',
    ])
    await troupe.close()
  })

  test('has left when its process lets go of the run', async () => {
    const { lines, observer } = diary()
    const begun = Promise.withResolvers<void>()
    const wait = createTool({
      id: 'wait',
      description: 'Waits.',
      inputSchema: z.object({}),
      execute: (_, { signal }) => {
        begun.resolve()
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve('late')))
      },
    })
    const { agent } = worker('solo', [calls({ name: 'wait', args: {} })], { tools: { wait } })
    const troupe = createTroupe({ agents: [agent], around: observer })
    await troupe.start(agent, 'Go')
    await begun.promise
    await troupe.close()
    expect(lines).toEqual(['solo begins: Go', 'solo left'])
  })

  test('is described, with its place in the run', async () => {
    const seen: unknown[] = []
    const agent = company()
    const troupe = createTroupe({ agents: [agent], around: { agent: (one) => void seen.push(one) } })
    const run = await troupe.start(agent, 'Go', { conversationId: 'c', traceparent: trace })
    await run.whenIdle
    const common = { runId: run.id, conversationId: 'c', traceparent: trace }
    expect(seen).toEqual([
      { ...common, agent: 'boss', description: 'Leads boss.', path: 'boss', task: 'Go' },
      {
        ...common,
        agent: 'helper',
        description: 'Does helper work.',
        path: 'boss/delegation:1.1/helper',
        delegationId: 'boss/delegation:1.1',
        task: 'Help me',
      },
    ])
    await troupe.close()
  })
})

describe('an observer', () => {
  test('that throws is reported, and changes nothing', async () => {
    const problems: Problem[] = []
    const { agent } = worker('solo', ['Done.'])
    const broken = () => {
      throw new Error('broken')
    }
    const { lines, observer } = diary()
    const troupe = createTroupe({
      agents: [agent],
      around: [
        { agent: broken, traceparent: broken },
        { agent: () => broken },
        { traceparent: () => 'no trace' },
        observer,
      ],
      onError: (problem) => problems.push(problem),
    })
    const result = await (await troupe.start(agent, 'Go')).result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(problems.map(({ where, message }) => [where, message.split(',')[0]])).toEqual([
      ['observer', 'an observer gave no trace context'],
      ['observer', 'an observer gave no trace context'],
      ['observer', 'an observer of agents threw'],
      ['observer', 'an observer of agents threw'],
    ])
    expect(lines).toEqual(['solo begins: Go', 'solo completed: Done.'])
    await troupe.close()
  })

  test('gives a trace context to a run that is started without one, and it is on record', async () => {
    const { agent } = worker('solo', ['Done.'], { otherwise: 'Done.' })
    const other = trace.replace('00-0', '00-1')
    const troupe = createTroupe({
      agents: [agent],
      around: [{}, { traceparent: () => undefined }, { traceparent: () => trace }],
    })
    const given = await troupe.start(agent, 'Go')
    const own = await troupe.start(agent, 'Go', { traceparent: other })
    const startOf = async (id: string): Promise<unknown> => (await troupe.journal(id))[0]
    expect(await startOf(given.id)).toMatchObject({ traceparent: trace })
    expect(await startOf(own.id)).toMatchObject({ traceparent: other })
    await troupe.close()
  })

  test('with a field that is not known is refused', () => {
    const { agent } = worker('solo', ['Done.'])
    const wrong = { agents: () => undefined } as Observer
    expect(() => createTroupe({ agents: [agent], around: wrong })).toThrow(/"agents".*"agent"/)
  })
})
