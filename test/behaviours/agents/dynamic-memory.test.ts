/** The memory of an agent as a function of the run. */
import { createAgent, createRouter, createTroupe, type MemoryOptions, textOf } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, shown, to, worker } from '../../support/agents/agents.ts'

const contextSchema = z.object({ plan: z.enum(['free', 'pro']) })

function guide() {
  const asked: string[] = []
  const model = scriptedModel([], { otherwise: 'Hello.' })
  const agent = createAgent({
    id: 'guide',
    contextSchema,
    instructions: 'Advise.',
    model,
    memory: async ({ context, runId }) => {
      asked.push(runId)
      return context.plan === 'pro' ? { lastMessages: 2 } : false
    },
  })
  return { agent, model, asked, troupe: createTroupe({ agents: [agent] }) }
}

const said = (model: Parameters<typeof shown>[0], call: number) =>
  shown(model, call).map(({ role, content }) => `${role}: ${textOf(content)}`)

describe('memory as a function of the run', () => {
  test('each run has the memory that the function gives for its context', async () => {
    const { agent, model, troupe } = guide()
    const ask = async (prompt: string, plan: 'free' | 'pro'): Promise<void> => {
      const run = await troupe.start(agent, prompt, { threadId: 't1', context: { plan } })
      expect((await run.result).outcome).toBe('completed')
    }
    await ask('One', 'free')
    expect(await troupe.memory.messages('t1')).toEqual([])
    await ask('Two', 'pro')
    await ask('Three', 'pro')
    await ask('Four', 'pro')
    expect(said(model, 4)).toEqual(['system: Advise.', 'user: Three', 'assistant: Hello.', 'user: Four'])
    await ask('Five', 'free')
    expect(said(model, 5)).toEqual(['system: Advise.', 'user: Five'])
    expect((await troupe.memory.messages('t1')).map(({ content }) => content)).toEqual([
      'Two',
      'Hello.',
      'Three',
      'Hello.',
      'Four',
      'Hello.',
    ])
  })

  test('it is called once a run, its answer is journaled, and a replay calls nothing', async () => {
    const { agent, asked, troupe } = guide()
    const run = await troupe.start(agent, 'Hi', { threadId: 't1', context: { plan: 'pro' } })
    const result = await run.result
    expect(asked).toEqual([run.id])
    expect((await troupe.journal(run.id))[1]).toMatchObject({
      key: 'guide/hook:configure#1',
      settlement: { value: { memory: { lastMessages: 2 } } },
    })
    expect((await troupe.replay(run.id)).result).toEqual(result)
    expect(asked).toEqual([run.id])
  })

  test('the option of a run takes its place', async () => {
    const { agent, asked, troupe } = guide()
    const run = await troupe.start(agent, 'Hi', { threadId: 't1', context: { plan: 'pro' }, memory: false })
    await run.result
    expect(asked).toEqual([])
    expect(await troupe.memory.messages('t1')).toEqual([])
  })

  test('without a threadId the run has a thread of its own', async () => {
    const { agent, troupe } = guide()
    const run = await troupe.start(agent, 'Hi', { context: { plan: 'pro' } })
    await run.result
    expect((await troupe.memory.messages(`${run.id}/guide`)).map(({ content }) => content)).toEqual([
      'Hi',
      'Hello.',
    ])
  })

  test('no thread is named before the function has decided, and none that is not used', async () => {
    const { agent, troupe } = guide()
    const named = async (plan: 'free' | 'pro') => {
      const run = await troupe.start(agent, 'Hi', { context: { plan } })
      const { threadId } = await run.result
      const first = only(await allEvents(run), 'run-start')[0]?.payload
      const summary = (await troupe.runs()).items.find(({ runId }) => runId === run.id)
      return { own: `${run.id}/guide`, threadId, first: first?.threadId, listed: summary?.threadId }
    }
    const remembers = await named('pro')
    expect(remembers).toEqual({
      own: remembers.own,
      threadId: remembers.own,
      first: undefined,
      listed: undefined,
    })
    const forgets = await named('free')
    expect(forgets).toEqual({ own: forgets.own, threadId: undefined, first: undefined, listed: undefined })
    expect((await troupe.memory.threads()).map(({ id }) => id)).toEqual([remembers.own])
  })

  test('a subagent has a thread of its own in each delegation', async () => {
    const clerk = worker('clerk', [], { memory: () => true, otherwise: 'Filed.' })
    const { agent } = lead('lead', [calls(to('clerk', 'File it')), 'Done.'], {
      agents: { clerk: clerk.agent },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go', { resourceId: 'ada' })
    await run.result
    const thread = `resource:ada/clerk/${run.id}/lead/delegation:1.1`
    expect((await troupe.memory.messages(thread)).map(({ content }) => content)).toEqual([
      'File it',
      'Filed.',
    ])
  })

  test('working memory of the function brings its tool', async () => {
    const { agent, model } = worker('noter', ['Noted.'], { memory: () => ({ workingMemory: true }) })
    const troupe = createTroupe({ agents: [agent] })
    await (
      await troupe.start(agent, 'Hi', { resourceId: 'ada' })
    ).result
    expect(model.calls[0]?.request.tools.map(({ name }) => name)).toEqual(['update-working-memory'])
  })

  test.for<[string, () => boolean | MemoryOptions, RegExp]>([
    ['working memory without a resource', () => ({ workingMemory: true }), /name it with resourceId/],
    ['an unknown option', () => ({ lastMessage: 3 }) as MemoryOptions, /lastMessages/],
    ['an answer that is none', () => 'yes' as never, /createAgent\("noter"\): memory must be true, false or/],
  ])('%s fails the agent before its model is called', async ([, memory, message]) => {
    const { agent, model } = worker('noter', [], { memory })
    const result = await agent.generate('Hi')
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_CONFIGURATION' } })
    if (result.outcome === 'failed') expect(result.error.message).toMatch(message)
    expect(model.calls).toEqual([])
  })

  test('a function that throws fails the agent', async () => {
    const { agent } = worker('noter', [], {
      memory: () => {
        throw new Error('no plan')
      },
    })
    expect(await agent.generate('Hi')).toMatchObject({ outcome: 'failed', error: { message: 'no plan' } })
  })

  test('a router still needs memory', async () => {
    const clerk = worker('clerk', [], { otherwise: 'Filed.' })
    const router = (remembers: boolean) =>
      createRouter({
        id: 'router',
        instructions: '',
        model: scriptedModel([
          '{"primitiveId":"none","primitiveType":"none","prompt":"Routed.","selectionReason":"easy"}',
        ]),
        agents: { clerk: clerk.agent },
        memory: () => (remembers ? true : (false as never)),
      })
    expect(await router(true).generate('Go')).toMatchObject({ outcome: 'completed', text: 'Routed.' })
    const refused = await router(false).generate('Go')
    expect(refused).toMatchObject({ outcome: 'failed' })
    if (refused.outcome === 'failed') expect(refused.error.message).toMatch(/a router needs memory/)
  })
})
