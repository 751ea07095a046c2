/**
 * The client that the suite of the Model Context Protocol starts for each of its scenarios: an agent with the tools of the
 * server of the suite, which calls each of them once, and a person who answers what the server asks.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTroupe, type JsonValue, type RunResult, type Tool } from 'troupe'
import { answerElicitation, isElicitation, mcpConnection, mcpTools, type McpTool } from 'troupe/mcp'
import { calls, worker } from '../../../support/agents/agents.ts'
import { providerOf, Visitor, type Context } from './sign-in.ts'

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Context
const url = new URL(process.argv.at(-1) ?? '')

interface Call {
  readonly name: string
  readonly args: Readonly<Record<string, JsonValue>>
}

/** How often a person signs in for one piece of work. */
const mostSignIns = 2

const authProvider = scenario.startsWith('auth/') ? providerOf(scenario, context) : undefined
let transport: StreamableHTTPClientTransport | undefined

const connection = mcpConnection({
  transport: () => {
    transport = new StreamableHTTPClientTransport(url, authProvider === undefined ? {} : { authProvider })
    return transport
  },
  prepare: (client) => {
    // A server of the older revisions asks in the middle of a call: the program answers with the defaults of its form.
    if (!scenario.startsWith('elicitation') || !(client instanceof Client)) return
    client.registerCapabilities({ elicitation: { form: { applyDefaults: true } } })
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }))
  },
})

/** Whether the person who was sent to sign in has done so. */
async function signedIn(): Promise<boolean> {
  const callback = authProvider instanceof Visitor ? authProvider.takeCallback() : undefined
  if (callback === undefined || transport === undefined) return false
  await transport.finishAuth(callback)
  return true
}

function isUnauthorised(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'UNAUTHORISED'
}

/** The tools by the names that the server gives them. */
async function listed(signIns = 0): Promise<ReadonlyMap<string, Tool<JsonValue>>> {
  const found: McpTool[] = []
  const only = (tool: McpTool): boolean => found.push(tool) > 0
  try {
    const tools = Object.values(await mcpTools(connection, { only, approve: false, onInterrupted: 'retry' }))
    return new Map(
      found.flatMap(({ name }, index) => (tools[index] === undefined ? [] : [[name, tools[index]]])),
    )
  } catch (error) {
    if (!isUnauthorised(error) || signIns === mostSignIns || !(await signedIn())) throw error
    return listed(signIns + 1)
  }
}

/** Arguments that fit a plain schema. */
function argsOf(schema: Readonly<Record<string, unknown>>): Call['args'] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, { readonly type?: unknown }>>
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }], index) => {
      if (type === 'number' || type === 'integer') return [name, index + 2]
      return [name, type === 'boolean' ? true : name]
    }),
  )
}

/** The calls that the suite hands over, or else one of each tool. */
function callsOf(tools: ReadonlyMap<string, Tool<JsonValue>>): readonly Call[] {
  const { toolCalls } = context as {
    readonly toolCalls?: readonly { name: string; arguments: Call['args'] }[]
  }
  const schemaOf = (name: string) =>
    tools.get(name)?.inputSchema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
  const echoed = schemaOf('json_schema_2020_12_tool')
  if (echoed !== undefined) return [{ name: 'json_schema_echo', args: { schema: echoed as JsonValue } }]
  if (toolCalls !== undefined) return toolCalls.map(({ name, arguments: args }) => ({ name, args }))
  return [...tools.keys()].map((name) => ({ name, args: argsOf(schemaOf(name) ?? {}) }))
}

/** A person agrees to whatever a form asks. */
function agreed(payload: JsonValue | undefined): JsonValue {
  if (!isElicitation(payload)) throw new Error('It waits for no answer to a server.')
  const answers = Object.keys(payload.questions).map((name) => [
    name,
    { action: 'accept' as const, content: { confirmed: true } },
  ])
  return answerElicitation(payload, Object.fromEntries(answers))
}

/** An agent calls the tool. */
async function performed({ name, args }: Call, tool: Tool<JsonValue>, signIns = 0): Promise<void> {
  const { agent } = worker('caller', [calls({ name: tool.id, args }), 'Done.'], {
    tools: { [tool.id]: tool },
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, `Call ${name}.`)
  let result: RunResult = await run.whenIdle
  while (result.outcome === 'suspended') {
    for (const { toolCallId, payload } of result.awaiting) {
      await run.signal({ type: 'resume', toolCallId, data: agreed(payload) })
    }
    result = await run.whenIdle
  }
  await troupe.close()
  const errors = result.errors.map(({ error }) => error)
  for (const error of errors) console.error(`${name}: ${error.code}: ${error.message}`)
  const isRefused = errors.some(({ code }) => code === 'UNAUTHORISED')
  if (isRefused && signIns < mostSignIns && (await signedIn()))
    await performed({ name, args }, tool, signIns + 1)
}

const tools = await listed()
for (const call of callsOf(tools)) {
  const tool = tools.get(call.name)
  if (tool !== undefined) await performed(call, tool)
}
await connection.close()
