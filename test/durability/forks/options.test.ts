/** Each option of `resume` and `fork` has its effect, or is refused by its name. */
import { ConfigurationError, createTroupe, memoryStore, RunExistsError, type CallOptions } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createTool } from 'troupe'
import { calls, lead, worker } from '../../support/agents/agents.ts'

const began = {
  resourceId: 'ann',
  conversationId: 'talk',
  threadId: 'live',
  context: { plan: 'gold', seats: [1, 2] },
  instructions: 'Be brief.',
  maxSteps: 4,
  retries: 1,
  stream: false,
  memory: { lastMessages: 3 },
  delegation: { maxMessages: 5 },
} as const

/** For each, another value than the run began with, or one where it began with none. */
const others: Readonly<Record<string, unknown>> = {
  resourceId: 'bob',
  conversationId: 'other',
  context: { plan: 'gold', seats: [2, 1] },
  instructions: 'Be long.',
  maxSteps: 40,
  retries: 2,
  stream: true,
  memory: false,
  budget: { totalTokens: 1 },
  hookTimeout: 1,
  maxDepth: 1,
  toolChoice: 'none',
  bailStrategy: 'last',
  versions: { agents: { boss: { versionId: '1' } } },
  onStepFinish: () => undefined,
}

async function waiting() {
  const refund = createTool({
    id: 'refund',
    description: 'Pays back.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'paid',
  })
  const helper = worker('helper', [])
  const { agent, model } = lead('boss', [calls({ name: 'refund' })], {
    otherwise: 'Done.',
    tools: { refund },
    agents: { helper: helper.agent },
  })
  const store = memoryStore()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go', began)
  await run.whenIdle
  await troupe.close()
  return { run, agent, model, store, troupe: createTroupe({ agents: [agent], store }) }
}

function options(given: object): object {
  return given
}

test.each(Object.entries({ ...others, runId: 'new', threadId: 'new' }))(
  'resume refuses another %s by its name, also of a run that is here',
  async (name, value) => {
    const { run, troupe } = await waiting()
    const resuming = (): Promise<unknown> => troupe.resume(run.id, options({ [name]: value }))
    for (let time = 0; time < 2; time++) {
      await expect(resuming()).rejects.toThrow(ConfigurationError)
      await expect(resuming()).rejects.toThrow(`"${run.id}": ${name}`)
      await troupe.resume(run.id)
    }
    await troupe.close()
  },
)

test.each(Object.entries(others))('fork refuses another %s by its name', async (name, value) => {
  const { run, troupe } = await waiting()
  const given = options({ [name]: value })
  await expect(troupe.fork(run.id, { at: 1 }, given)).rejects.toThrow(`"${run.id}": ${name}`)
  expect((await troupe.runs()).items).toHaveLength(1)
})

test('values that a run began with may be given again', async () => {
  const { run, troupe } = await waiting()
  const { threadId: _chosen, ...again } = began
  await troupe.resume(run.id, options({ ...began, runId: run.id }))
  await troupe.resume(run.id, options(began)) // now it is here
  const fork = await troupe.fork(run.id, { at: 1 }, options(again))
  expect(await fork.result).toMatchObject({ outcome: 'completed', threadId: `fork:${fork.id}/live` })
  await troupe.close()
})

test('parts of an option are named', async () => {
  const { run, troupe } = await waiting()
  const given: CallOptions & object = options({ delegation: { maxMessages: 6 }, maxSteps: 5 })
  await expect(troupe.resume(run.id, given)).rejects.toThrow(
    'maxSteps, delegation.maxMessages cannot change: a run keeps what it began with.',
  )
})

test('a fork has the id that it is given, once', async () => {
  const { run, troupe } = await waiting()
  const fork = await troupe.fork(run.id, { at: 1 }, { runId: 'what-if' })
  expect(fork.id).toBe('what-if')
  for (const runId of ['what-if', run.id]) {
    await expect(troupe.fork(run.id, { at: 2 }, { runId })).rejects.toThrow(RunExistsError)
  }
  expect((await fork.whenIdle).threadId).toBe('fork:what-if/live')
  expect((await troupe.runs()).items.map(({ runId }) => runId)).toEqual([run.id, 'what-if'])
  await troupe.close()
})
