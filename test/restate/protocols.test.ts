/** Agents on Restate behind protocols of others: tools of MCP servers, the server of MCP, and that of Agent2Agent. */
import { TaskState } from '@a2a-js/sdk'
import { Client } from '@modelcontextprotocol/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createAgent, createTool, type AgentDefinition, type ModelRequest } from 'troupe'
import { answerElicitation, mcpServer, mcpTools, type McpConnection } from 'troupe/mcp'
import { restateEndpoint, type RestateListener } from 'troupe/restate'
import { scriptedModel, type ScriptedReply } from 'troupe/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { clientOf, send, serveOn, text, textsOf } from '../a2a/served.ts'
import { calls } from '../support/agents/agents.ts'
import { connectionTo, office, transportTo, type Office } from '../mcp/support/office.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

/** A worker process: an agent, and a connection of its own. Its model answers by the results that it was given. */
function workerOn(server: Office, replies: readonly (string | ScriptedReply)[]) {
  const connection: McpConnection = connectionTo(server)
  const next = ({ messages }: ModelRequest): string | ScriptedReply =>
    replies[messages.filter(({ role }) => role === 'tool').length] ?? 'Done.'
  const agent: AgentDefinition = createAgent({
    id: 'clerk',
    description: 'Answers.',
    instructions: 'Answer.',
    model: scriptedModel([], { otherwise: next }),
    tools: () => mcpTools(connection),
  })
  return { agent, connection }
}

test('a run lists the tools once, and calls them', async () => {
  const server = office()
  const look = (word: string) => calls({ name: 'look_up', args: { word } })
  const { agent, connection } = workerOn(server, [look('tide'), look('moon'), look('sea'), 'Done.'])
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(server.calls.map(({ args }) => args)).toEqual([{ word: 'tide' }, { word: 'moon' }, { word: 'sea' }])
  expect(server.lists.count).toBe(1)
  expect((await troupe.replay(run.id)).result).toEqual(await run.result)
  expect(server.lists.count).toBe(1)
  await connection.close()
})

const paying = () =>
  createAgent({
    id: 'cashier',
    description: 'Pays back.',
    instructions: 'Pay back.',
    model: scriptedModel([], {
      otherwise: ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? 'Paid.' : calls({ name: 'refund', args: { euros: 20 } }),
    }),
    tools: {
      refund: createTool({
        id: 'refund',
        description: 'Pays money back.',
        inputSchema: z.object({ euros: z.number() }),
        requireApproval: true,
        execute: ({ euros }) => `${euros} euros are on their way`,
      }),
    },
  })

test('an agent on Restate has tasks of Agent2Agent, which are asked, answered and cancelled', async () => {
  const agent = paying()
  const troupe = await desk.troupe(agent)
  const [one, other] = [serveOn(troupe, agent), serveOn(troupe, agent)]
  const asked = await send(await clientOf(one), [text('Pay back.')])
  expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
  const again = await send(await clientOf(one), [text('Hm?')], asked)
  expect(again.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
  const ended = await send(await clientOf(other), [text('yes')], again)
  expect(ended).toMatchObject({ status: { state: TaskState.TASK_STATE_COMPLETED } })
  expect(textsOf(ended.artifacts[0]?.parts)).toEqual(['Paid.'])

  const { id } = await send(await clientOf(one), [text('Pay back.')])
  await troupe.cancel(id)
  await expect
    .poll(async () => (await (await clientOf(other)).getTask({ id, tenant: '' })).status?.state)
    .toBe(TaskState.TASK_STATE_CANCELED)
  const third = await send(await clientOf(one), [text('Pay back.')])
  const cancelled = await (
    await clientOf(other)
  ).cancelTask({ id: third.id, tenant: '', metadata: undefined })
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
})

test('an agent on Restate is a tool of a server, whose client answers for a person', async () => {
  const cashier = paying()
  const troupe = await desk.troupe(cashier)
  const handler = createMcpHandler(mcpServer({ agents: { cashier }, troupe, answeredBy: () => 'Ada' }))
  const client = new Client(
    { name: 'caller', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { approve: true, note: 'By the book.' },
  }))
  await client.connect(transportTo(handler))
  const result = await client.callTool({ name: 'cashier', arguments: { prompt: 'Go' } })
  expect(result).toMatchObject({
    content: [{ type: 'text', text: 'Paid.' }],
    _meta: { 'troupe/outcome': 'completed' },
  })
  const history = await troupe.history(String(result._meta?.['troupe/runId']))
  expect(history.filter(({ by }) => by !== undefined)).toMatchObject([{ by: 'Ada', note: 'By the book.' }])
  await client.close()
  await handler.close()
})

test('a question of a server is answered after a restart of the worker, over a new connection', async () => {
  const server = office()
  const replies = [calls({ name: 'deploy', args: { to: 'production' } }), 'Deployed.']
  const namespace = 'elicitation'
  const endpointOf = (agent: AgentDefinition) =>
    restateEndpoint({ agents: [agent], namespace, logger: () => undefined })
  const first = workerOn(server, replies)
  const before = await endpointOf(first.agent).listen({ port: 0 })
  await desk.server.register(before.port)
  const troupe = desk.client(first.agent, namespace)
  const run = await troupe.start(first.agent, 'Go')
  const idle = await run.whenIdle
  const [question] = idle.outcome === 'suspended' ? idle.awaiting : []
  expect(question).toMatchObject({ type: 'suspension', toolName: 'deploy' })
  await before.close()
  await first.connection.close()

  const second = workerOn(server, replies)
  const after: RestateListener = await endpointOf(second.agent).listen({ port: before.port })
  const answers = { confirm: { action: 'accept', content: { window: 'night' } } } as const
  await run.resume(question?.toolCallId ?? '', answerElicitation(question?.payload, answers))
  expect(await run.result).toMatchObject({
    outcome: 'completed',
    text: 'Deployed.',
    steps: [{ toolResults: [{ outcome: 'succeeded', value: 'deployed at night' }] }, {}],
  })
  const args = { to: 'production', window: 'night', state: 'deploy to production' }
  expect(server.calls).toMatchObject([{ tool: 'deploy', args }])
  expect((await troupe.replay(run.id)).result).toEqual(await run.result)
  await after.close()
  await second.connection.close()
})
