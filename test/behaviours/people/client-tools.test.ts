/** Tools of a client: their calls are suspensions that the client answers, durable on every store and in forks. */
import { PGlite } from '@electric-sql/pglite'
import {
  createAgent,
  createFanOut,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  type AgentDefinition,
  type ClientTool,
  type Store,
} from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { emptyView, nextView } from 'troupe/view'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { pglitePool } from '../../support/postgres/pglite-pool.ts'
import { until } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const where: ClientTool = {
  name: 'whereAmI',
  description: 'Tells where the user is.',
  parameters: { type: 'object', properties: { near: { type: 'string' } }, required: ['near'] },
}
const clientTools = [where]

const call: ScriptedStep = { toolCalls: [{ name: 'whereAmI', args: { near: 'you' } }] }
const agentOf = (...script: ScriptedStep[]) => {
  const model = scriptedModel(script)
  return { model, agent: createAgent({ id: 'guide', model }) }
}

const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name)

const database = new PGlite()
beforeAll(() => database.waitReady, 120_000)
afterAll(() => database.close())

const stores: Readonly<Record<string, (file: string) => () => Store>> = {
  memory: () => {
    const store = memoryStore()
    return () => store
  },
  SQLite: (file) => () => sqliteStore(file),
  'SQLite in a worker': (file) => () => sqliteStore(file, { worker: true }),
  Postgres: () => () => postgresStore({ pool: pglitePool(database) }),
}

test.each(Object.entries(stores))(
  'in %s a call of the client waits over a restart, and its answer is on record',
  async (_, opened) => {
    using folder = temporaryFolder()
    const open = opened(folder.file('runs.db'))
    const first = agentOf(call)
    const before = createTroupe({ agents: [first.agent], store: open() })
    const run = await before.start(first.agent, 'Where am I?', { clientTools })
    const { payload } = await until(run, 'tool-call-suspended')
    expect(payload).toMatchObject({ toolName: 'whereAmI', isClient: true, suspendPayload: { near: 'you' } })
    await before.close()

    const second = agentOf('You are in Bergen.')
    const store = open()
    const after = createTroupe({ agents: [second.agent], store })
    await after.recover()
    expect((await after.awaiting()).items).toMatchObject([
      { toolName: 'whereAmI', type: 'suspension', isClient: true },
    ])
    const resumed = await after.resume(run.id)
    await resumed.resume(payload.toolCallId, { city: 'Bergen' }, { by: 'ann' })
    expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'You are in Bergen.' })
    expect(second.model.calls[0]?.request.tools).toMatchObject([
      { name: 'whereAmI', parameters: where.parameters },
    ])
    expect(JSON.stringify(second.model.calls[0]?.request.messages)).toContain('{\\"city\\":\\"Bergen\\"}')
    expect(await after.history(run.id)).toEqual(
      expect.arrayContaining([expect.objectContaining({ by: 'ann' })]),
    )
    expect((await after.replay(run.id)).result).toMatchObject({ outcome: 'completed' })
    await after.close()
    await store.close?.()
  },
)

test('a fork of such a run knows the tools of its client', async () => {
  const { agent, model } = agentOf(call, 'Here.', 'There.')
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Where am I?', { clientTools })
  const { payload } = await until(run, 'tool-call-suspended')
  const asked = (await troupe.journal(run.id)).length
  await run.resume(payload.toolCallId, 'Bergen')
  await run.result
  const fork = await troupe.fork(run.id, { at: asked })
  await until(fork, 'tool-call-suspended')
  await fork.resume(payload.toolCallId, 'Oslo')
  expect(await fork.result).toMatchObject({ outcome: 'completed', text: 'There.' })
  expect(model.calls.map(({ request }) => request.tools.map(({ name }) => name))).toEqual([
    ['whereAmI'],
    ['whereAmI'],
    ['whereAmI'],
  ])
  await troupe.close()
})

test('a run keeps the tools of its client where its agent gets one of the same name', async () => {
  const store = memoryStore()
  const { agent: former } = agentOf(call)
  const before = createTroupe({ agents: [former], store })
  const run = await before.start(former, 'Go', { clientTools })
  const { payload } = await until(run, 'tool-call-suspended')
  await before.close()
  const whereAmI = createTool({
    id: 'whereAmI',
    description: 'New.',
    inputSchema: z.object({}),
    execute: () => 'of the agent',
  })
  const agent = createAgent({ id: 'guide', model: scriptedModel(['Bergen.']), tools: { whereAmI } })
  const after = createTroupe({ agents: [agent], store })
  const resumed = await after.resume(run.id)
  await resumed.resume(payload.toolCallId, 'Bergen')
  expect(await resumed.result).toMatchObject({ outcome: 'completed' })
  await after.close()
})

test('tools that functions of the run make stand beside those of the client, and a name that both have fails the run', async () => {
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: () => 'seen',
  })
  const model = scriptedModel([call, 'Here.'])
  const agent = createAgent({ id: 'guide', model, tools: () => ({ look }) })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go', { clientTools })
  const { payload } = await until(run, 'tool-call-suspended')
  expect(model.calls[0]?.request.tools.map(({ name }) => name)).toEqual(['look', 'whereAmI'])
  await run.resume(payload.toolCallId, 'Bergen')
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  const clash = await troupe.start(agent, 'Go', { clientTools: [{ name: 'look' }] })
  expect(await clash.result).toMatchObject({
    outcome: 'failed',
    error: {
      code: 'INVALID_CONFIGURATION',
      message: expect.stringMatching(/a function of "guide" has made a tool "look", .* tool of the client/),
    },
  })
  await troupe.close()
})

test('the tools are for the root agent, and a subagent has none of them', async () => {
  const helper = scriptedModel(['Help.'])
  const boss = scriptedModel([{ toolCalls: [{ name: 'agent-helper', args: { prompt: 'Help' } }] }, 'Done.'])
  const agent = createSupervisor({
    id: 'boss',
    model: boss,
    agents: { helper: createAgent({ id: 'helper', description: 'Helps.', model: helper }) },
  })
  const troupe = createTroupe({ agents: [agent] })
  await (
    await troupe.start(agent, 'Go', { clientTools })
  ).result
  expect(boss.calls[0]?.request.tools.map(({ name }) => name)).toContain('whereAmI')
  expect(helper.calls[0]?.request.tools).toEqual([])
  await troupe.close()
})

test('an agent that is handed the conversation has none of the tools, and the first agent has them again', async () => {
  const first = scriptedModel([{ toolCalls: [{ name: 'transfer-to-second', args: {} }] }, 'Done.'])
  const second = scriptedModel([{ toolCalls: [{ name: 'transfer-to-first', args: {} }] }])
  const agent: AgentDefinition = createAgent({
    id: 'first',
    description: 'Begins.',
    model: first,
    handoffs: { second: () => other },
  })
  const other: AgentDefinition = createAgent({
    id: 'second',
    description: 'Goes on.',
    model: second,
    handoffs: { first: () => agent },
  })
  const troupe = createTroupe({ agents: [agent, other] })
  const run = await troupe.start(agent, 'Go', { clientTools })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  const offered = [first, second].map(({ calls }) => calls.map(({ request }) => names(request.tools)))
  expect(offered).toEqual([
    [
      ['whereAmI', 'transfer-to-second'],
      ['whereAmI', 'transfer-to-second'],
    ],
    [['transfer-to-first']],
  ])
  await troupe.close()
})

const own = createTool({ id: 'own', description: 'Own.', inputSchema: z.object({}), execute: () => 1 })

test.each<[string, unknown]>([
  ['no list', { whereAmI: where }],
  ['two of one name', [where, where]],
  ['a name of the agent', [{ name: 'own' }]],
  ['the name of working memory', [{ name: 'update-working-memory' }]],
  ['a reserved name', [{ name: 'transfer-to-x' }]],
  ['a misspelt field', [{ name: 'x', parameter: {} }]],
  ['parameters that are no JSON', [{ name: 'x', parameters: { default: 1n } }]],
  ['too many', Array.from({ length: 65 }, (_, index) => ({ name: `t${index}` }))],
])('a start is refused for tools of the client that are wrong: %s', async (_, given) => {
  const agent = createAgent({ id: 'a', model: scriptedModel([]), tools: { own } })
  const troupe = createTroupe({ agents: [agent] })
  const options: object = { clientTools: given }
  await expect(troupe.start(agent, 'Go', options)).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining('clientTools'),
  })
  await troupe.close()
})

test('an agent whose pattern takes no tools takes none of a client', async () => {
  const model = scriptedModel([])
  const side = createAgent({ id: 'side', description: 'A side.', model })
  const agent = createFanOut({ id: 'both', model, agents: { side } })
  const troupe = createTroupe({ agents: [agent] })
  await expect(troupe.start(agent, 'Go', { clientTools })).rejects.toThrow('takes no tools')
  await troupe.close()
})

test('arguments that do not fit are refused before the client is asked, and patterns of the schema are not run', async () => {
  const parameters = {
    type: 'object',
    properties: { near: { type: 'string', pattern: '^(a+)+$' } },
    required: ['near'],
  }
  const { agent, model } = agentOf(
    { toolCalls: [{ name: 'whereAmI', args: {} }] },
    { toolCalls: [{ name: 'whereAmI', args: { near: `${'a'.repeat(60)}!` } }] },
    'Here.',
  )
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go', { clientTools: [{ ...where, parameters }] })
  const { payload } = await until(run, 'tool-call-suspended')
  expect(model.calls).toHaveLength(2)
  let view = emptyView
  for await (const event of troupe.watch(run.id)) {
    view = nextView(view, event)
    if (event.type === 'suspended') break
  }
  expect(JSON.stringify(view)).toContain('"isClient":true')
  await run.resume(payload.toolCallId)
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  await troupe.close()
})
