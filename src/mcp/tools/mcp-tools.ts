/** `mcpTools`: the tools of an MCP server, as tools of an agent. */
import {
  ConfigurationError,
  type JsonValue,
  type OnInterrupted,
  type Tool,
  TroupeError,
  createTool,
  deferTools,
} from '../../index.ts'
import {
  type Expected,
  type Reporter,
  askUser,
  digestText,
  isObject,
  isRecord,
  readOptions,
  reporterOf,
  sleep,
  yesOrNo,
} from '../../kit/index.ts'
import { delegationPrefix, handoffPrefix, wrong } from '../../kit/host.ts'
import { callTool, type Clients } from './call.ts'
import type { McpClient, McpTool } from '../connection/client.ts'
import type { McpConnection } from '../connection/connection.ts'
import { unavailable, failureOf } from '../connection/failures.ts'
import { toolsFields, type McpToolsOptions } from './options.ts'
import { inputSchemaOf, outputSchemaOf } from './schemas.ts'

/**
 * Lists the tools of an MCP server as tools of an agent, by the names that the model sees. Give an agent a function,
 * `tools: () => mcpTools(connection)`: each run then lists them once, and keeps them in its journal. `source` is an
 * `McpConnection`, or a connected client, which is used as it is and not connected again.
 * Rejects with what a function of the options throws; with a `ConfigurationError` for a wrong option, for a name in `only` that the server does not have, and for a
 * tool that is to be strict and cannot be; with a
 * `RetryableError` (`MCP_UNAVAILABLE`) when the server cannot be reached.
 */
export async function mcpTools(
  source: McpConnection | McpClient,
  options: McpToolsOptions = {},
): Promise<Record<string, Tool<JsonValue>>> {
  const read = readOptions<McpToolsOptions>(options, 'mcpTools', toolsFields)
  const clients = clientsOf(source)
  const listed = await chosen(firstOfEach(await list(clients), reporterOf(read.onError)), read)
  const names = toolNames(
    listed.map(({ name }) => name),
    read.prefix ?? '',
  )
  const policies = await Promise.all(listed.map((tool) => policiesOf(tool, read)))
  const tools = new Map<string, Tool<JsonValue>>()
  for (const [index, tool] of listed.entries()) {
    if (index > 0 && index % slice === 0) await sleep(0)
    const [id, own] = [names.get(tool.name) ?? tool.name, policies[index]]
    if (own !== undefined) tools.set(id, toolOf(tool, id, own, clients, read))
  }
  const made = Object.fromEntries(tools)
  const { defer = false } = read
  if (defer === false || tools.size === 0) return made
  return deferTools(made, defer === true ? {} : defer)
}

/** How many tools are made before other work has its turn. */
const slice = 50

/** The first tool of each name: a server that lists a name twice has one tool that can be called by it. */
function firstOfEach(tools: readonly McpTool[], report: Reporter): readonly McpTool[] {
  const byName = Map.groupBy(tools, ({ name }) => name)
  const doubled = [...byName].flatMap(([name, { length }]) =>
    length > 1 ? [JSON.stringify(name.slice(0, 64))] : [],
  )
  if (doubled.length > 0) {
    const message = 'an MCP server lists more than one tool of a name, of which the first counts'
    const error = new TroupeError('MCP_DUPLICATE_TOOL', `${message}: ${doubled.slice(0, 10).join(', ')}`)
    report({ message, code: 'MCP_DUPLICATE_TOOL', where: 'request', error })
  }
  return [...byName.values()].flatMap(([first]) => first ?? [])
}

/** The longest id of a tool. */
const longest = 55

/**
 * For each name the one by which a model calls the tool: unchanged where it is allowed and fits, else with `_` for each
 * character that is not allowed. A name that was shortened, and a changed name that another tool has too, ends in a
 * digest of the name. The result does not depend on the order of the names.
 */
export function toolNames(names: readonly string[], prefix: string): ReadonlyMap<string, string> {
  const wanted = names.map((name) => ({ name, full: prefix + name, clean: cleaned(prefix + name) }))
  const takenBy = Map.groupBy(wanted, ({ clean }) => clean)
  return new Map(
    wanted.map(({ name, full, clean }) => {
      const isShared = (takenBy.get(clean)?.length ?? 0) > 1
      const isChanged = clean !== full
      return [name, clean.length > longest || (isShared && isChanged) ? withDigest(clean, full) : clean]
    }),
  )
}

function cleaned(name: string): string {
  const allowed = name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  const beginsWell = /^[A-Za-z]/.test(allowed)
  const isReserved = allowed.startsWith(delegationPrefix) || allowed.startsWith(handoffPrefix)
  return beginsWell && !isReserved ? allowed : `tool_${allowed}`
}

function withDigest(clean: string, full: string): string {
  const digest = `_${digestText(full).slice(0, 6)}`
  return clean.slice(0, longest - digest.length) + digest
}

function clientsOf(source: McpConnection | McpClient): Clients {
  if (!isObject(source)) throw wrong(source, 'mcpTools: the first argument', 'an MCP connection or client')
  if (!('callTool' in source)) {
    return { client: () => source.client(), lost: (client) => source.lost(client) }
  }
  return { client: () => Promise.resolve(source) }
}

/** A list that is refused, or meets a lost connection, is asked for once more, on a new one. */
async function list(clients: Clients, isAgain = false): Promise<readonly McpTool[]> {
  const client = await clients.client()
  try {
    return (await client.listTools()).tools
  } catch (error) {
    const { kind, session } = failureOf(error)
    const isGone = session !== 'lives'
    if (isGone) clients.lost?.(client)
    if (!isGone || isAgain || clients.lost === undefined || kind === 'unauthorised') throw unavailable(error)
    return list(clients, true)
  }
}

async function chosen(tools: readonly McpTool[], { only }: McpToolsOptions): Promise<readonly McpTool[]> {
  if (only === undefined) return tools
  if (typeof only === 'function') {
    const isOffered = await Promise.all(
      tools.map((tool) => askUser('only of mcpTools', () => only(tool), yesOrNo)),
    )
    return tools.filter((_, index) => isOffered[index])
  }
  const missing = only.find((name) => !tools.some((tool) => tool.name === name))
  if (missing !== undefined) {
    const known = tools.map(({ name }) => name).join(', ')
    throw new ConfigurationError(`mcpTools: only names "${missing}". The server has: ${known || 'no tools'}.`)
  }
  return tools.filter(({ name }) => only.includes(name))
}

/** What the options say about one tool. */
interface Policies {
  readonly onInterrupted: OnInterrupted
  readonly repeatable: boolean
  readonly strict: boolean
  readonly requireApproval: boolean
}

async function policiesOf(tool: McpTool, options: McpToolsOptions): Promise<Policies> {
  const [onInterrupted, strict, requireApproval] = await Promise.all([
    policyOf(tool, options),
    isStrict(tool, options),
    needsApproval(tool, options),
  ])
  const repeatable = onInterrupted === 'retry' && isHarmless(tool)
  return { onInterrupted, repeatable, strict, requireApproval }
}

/** Its server says that a call reads alone, or does once what it does twice. */
function isHarmless({ annotations: { readOnlyHint, idempotentHint } = {} }: McpTool): boolean {
  return readOnlyHint === true || idempotentHint === true
}

function toolOf(
  tool: McpTool,
  id: string,
  { onInterrupted, repeatable, strict, requireApproval }: Policies,
  clients: Clients,
  options: McpToolsOptions,
): Tool<JsonValue> {
  const { groups, errors } = options
  const { outputSchema } = tool
  return createTool({
    id,
    description: descriptionOf(tool),
    inputSchema: inputSchemaOf(tool.inputSchema),
    strict,
    ...(outputSchema === undefined || errors === 'show'
      ? {}
      : { outputSchema: outputSchemaOf(outputSchema) }),
    requireApproval,
    onInterrupted,
    repeatable,
    ...(groups === undefined ? {} : { groups }),
    execute: (args, execution) =>
      callTool({ name: tool.name, onInterrupted }, isRecord(args) ? args : {}, execution, clients, options),
  })
}

function descriptionOf({ name, title, description, annotations }: McpTool): string {
  const texts = [description, title, annotations?.title]
  return texts.find((text) => text !== undefined && text.trim() !== '') ?? name
}

const aPolicy: Expected<OnInterrupted> = {
  words: "'retry', 'ask' or 'fail'",
  fits: (answer): answer is OnInterrupted => answer === 'retry' || answer === 'ask' || answer === 'fail',
}

async function policyOf(tool: McpTool, { onInterrupted }: McpToolsOptions): Promise<OnInterrupted> {
  if (typeof onInterrupted === 'function')
    return askUser('onInterrupted of mcpTools', () => onInterrupted(tool), aPolicy)
  return onInterrupted ?? (isHarmless(tool) ? 'retry' : 'ask')
}

async function isStrict(tool: McpTool, { strict = false }: McpToolsOptions): Promise<boolean> {
  return typeof strict === 'function' ? askUser('strict of mcpTools', () => strict(tool), yesOrNo) : strict
}

async function needsApproval(tool: McpTool, { approve }: McpToolsOptions): Promise<boolean> {
  if (typeof approve === 'function') return askUser('approve of mcpTools', () => approve(tool), yesOrNo)
  return approve ?? tool.annotations?.destructiveHint === true
}
