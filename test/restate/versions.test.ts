/** Two deployments side by side: what is under way ends where it began, and what is new begins on the new one. */
import { z } from 'zod'
import { createAgent, createSupervisor, createTool, TerminalError, type AnyAgent } from 'troupe'
import { restateEndpoint, restateTroupe, type RestateListener, type RestateTroupe } from 'troupe/restate'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls, to } from '../support/agents/agents.ts'
import { boss, worker } from '../support/agents/versions.ts'
import { RestateServer } from '../../scripts/restate/server.ts'
import { handlerOf, serveHandler } from './crashes/serve-handler.ts'

let server: RestateServer
const listeners: RestateListener[] = []

beforeAll(async () => {
  server = await RestateServer.start()
})

afterAll(async () => {
  await Promise.all(listeners.map((listener) => listener.close()))
  await server.stop()
})

const ask = createTool({
  id: 'ask',
  description: 'Asks a person.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'asked',
})

function team(
  version: string,
  steps: readonly ScriptedStep[],
  instructions = `You are ${version}.`,
): AnyAgent {
  const writer = createAgent({
    id: 'writer',
    version,
    description: 'Writes.',
    instructions: `You are ${version}.`,
    model: scriptedModel([], { otherwise: `written by ${version}` }),
  })
  return createSupervisor({
    id: 'desk',
    version,
    instructions,
    model: scriptedModel(steps),
    tools: { ask },
    agents: { writer },
  })
}

async function deploy(namespace: string, agents: readonly AnyAgent[]): Promise<void> {
  const listener = await restateEndpoint({ agents, namespace, logger: () => undefined }).listen({ port: 0 })
  listeners.push(listener)
  await server.register(listener.port)
}

const asks = calls({ name: 'ask', args: {} })
const delegates = calls(to('writer', 'Write.'))

test('a run keeps to the version that it began with, and so do its subagents', async () => {
  const namespace = 'kept'
  const old = team('one', [asks, delegates, 'Done by one.'])
  await deploy(namespace, [old])
  const config = { ingress: server.ingress, namespace, pollInterval: 10 }
  const before = restateTroupe({ ...config, agents: [old] })
  const run = await before.start(old, 'Go')
  await run.whenIdle

  // The new deployment serves both versions: what the old one delegates from now on begins here.
  const fresh = team('two', [delegates, 'Done by two.'])
  await deploy(namespace, [team('one', []), fresh])
  const after = restateTroupe({ ...config, agents: [fresh] })
  const next = await (await after.start(fresh, 'Go')).result
  expect(next).toMatchObject({ text: 'Done by two.', delegations: [{ text: 'written by two' }] })

  await run.approve('desk/call:1.1')
  expect(await run.result).toMatchObject({
    text: 'Done by one.',
    delegations: [{ outcome: 'succeeded', text: 'written by one' }],
  })
})

test('a version that is not there any more fails what needs it, and says so', async () => {
  const namespace = 'gone'
  const old = team('one', [asks, delegates, 'Alone.'])
  await deploy(namespace, [old])
  const config = { ingress: server.ingress, namespace, pollInterval: 10 }
  const run = await restateTroupe({ ...config, agents: [old] }).start(old, 'Go')
  await run.whenIdle
  await deploy(namespace, [team('two', [])])
  await run.approve('desk/call:1.1')
  const result = await run.result
  expect(result).toMatchObject({ text: 'Alone.', delegations: [{ outcome: 'failed' }] })
  expect(result.delegations[0]?.error).toMatchObject({ code: 'INVALID_CONFIGURATION' })
  expect(result.delegations[0]?.error?.message).toContain('There are: "two"')

  const late = await restateTroupe({ ...config, agents: [old] }).start(old, 'Go')
  await expect(late.result).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION', runId: late.id })
})

test('agents whose words were edited go on with what is recorded, and repeat nothing', async () => {
  const namespace = 'changed'
  const retryPolicy = { initialInterval: 10, maxAttempts: 2, onMaxAttempts: 'kill' } as const
  const inactivityTimeout = 1 // a run that waits is suspended: the old worker does not go on with it
  const workerOf = (agent: AnyAgent) =>
    handlerOf({ agents: [agent], namespace, retryPolicy, inactivityTimeout })
  const old = team('one', [asks, 'Done by one.'])
  let current = workerOf(old)
  // The address never refuses a connection: a refused one would count as an attempt.
  await serveHandler(server, (request, response) => current(request, response))
  const { ingress, admin } = server
  const troupe = restateTroupe({ ingress, admin, namespace, pollInterval: 10, agents: [old] })
  const run = await troupe.start(old, 'Go')
  await run.whenIdle
  await expect.poll(async () => (await troupe.runs()).items[0]?.status).toBe('suspended')
  // In its place, and under its version, one with other instructions.
  current = workerOf(team('one', ['Done by nobody.'], 'You are changed.'))
  await run.approve('desk/call:1.1')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done by nobody.' })
})

test('an edit of a row of models does not change what a run tells of the models that it has called', async () => {
  const down = { error: new TerminalError('no such model', { code: 'MODEL_NOT_FOUND' }) }
  const withRow = (row: Readonly<Record<string, readonly ScriptedStep[]>>) =>
    createAgent({
      id: 'desk',
      instructions: '',
      model: Object.entries(row).map(([modelId, steps]) => scriptedModel(steps, { modelId })),
      tools: { ask },
      retries: 0,
    })
  const before = withRow({ a: [down], b: [asks] })
  const workerOf = (agent: AnyAgent) =>
    handlerOf({ agents: [agent], namespace: 'rows', inactivityTimeout: 1 })
  let current = workerOf(before)
  await serveHandler(server, (request, response) => current(request, response))
  const { ingress, admin } = server
  const config = { ingress, admin, namespace: 'rows', pollInterval: 10 }
  const troupe = restateTroupe({ ...config, agents: [before] })
  const run = await troupe.start(before, 'Go')
  await run.whenIdle
  await expect.poll(async () => (await troupe.runs()).items[0]?.status).toBe('suspended')

  const edited = withRow({ x: [down], y: ['Done.'] })
  current = workerOf(edited)
  await run.approve('desk/call:1.1')
  const { steps } = await run.result
  expect(steps.map((step) => step.model)).toEqual(['scripted/b', 'scripted/y'])
  const replay = await restateTroupe({ ...config, agents: [edited] }).replay(run.id)
  expect(replay.result?.steps).toEqual(steps)
  const falls = replay.events.flatMap((event) =>
    event.type === 'model-fallback' ? [[event.payload.from, event.payload.to]] : [],
  )
  expect(falls).toEqual([
    ['scripted/a', 'scripted/b'],
    ['scripted/x', 'scripted/y'],
  ])
})

describe('versions that the client asks for', () => {
  const writer = worker('writer', { version: '1' })
  const editor = boss('editor', { version: '1' }, { writer })
  const lead = boss('lead', { version: '1' }, { editor })
  const agents = [
    worker('writer', { version: '2' }),
    worker('writer', { version: '3', status: 'draft' }),
    boss('lead', { version: '2' }, { editor }),
    lead,
  ]
  const asked = { agents: { lead: { versionId: '2' }, writer: { status: 'draft' } } } as const
  const client = (options: object = {}) =>
    restateTroupe({ ingress: server.ingress, namespace: 'asked', pollInterval: 10, agents, ...options })

  test('are taken: per call over client over what stands there, agent by agent', async () => {
    await deploy('asked', agents)
    const textOf = async (troupe: RestateTroupe, options: object = {}) =>
      (await (await troupe.start(lead, 'Go', options)).result).text
    const troupe = client({ versions: asked })
    expect(await textOf(client())).toBe('lead 1(editor 1(writer 1))')
    expect(await textOf(troupe)).toBe('lead 2(editor 1(writer 3))')
    const versions = { agents: { writer: { status: 'published' } } }
    expect(await textOf(troupe, { versions })).toBe('lead 2(editor 1(writer 2))')
  })

  test('stand in the journal and in the result, and replays keep to them whatever a client asks for', async () => {
    const troupe = client({ versions: asked })
    const run = await troupe.start(lead, 'Go')
    const result = await run.result
    expect(result).toMatchObject({ version: '2', delegations: [{ version: '1' }] })
    const [started] = await troupe.history(run.id)
    expect(started).toMatchObject({ version: '2', versions: { editor: '1', writer: '3' } })
    expect((await client().replay(run.id)).result).toEqual(result)
  })

  test.for<[object, string]>([
    [{ writer: { status: 'draft' } }, 'restateTroupe: versions: there is no option "writer". Known: agents.'],
    [{ agents: { writer: '2' } }, 'restateTroupe: versions.agents.writer must be { status: … } or'],
    [{ agents: { poet: { versionId: '2' } } }, 'versions names "poet", and there is no such agent.'],
    [{ agents: { editor: { versionId: '7' } } }, 'the agent "editor" has no version "7" here.'],
  ])('%j are refused', ([versions, message]) => {
    expect(() => client({ versions })).toThrow(message)
  })
})
