/** `mcpTools`: the tools of an MCP server, as tools of an agent. */
import { createTool } from '../../actors/create-tool.ts'
import { isObject, readOptions, wrong } from '../../actors/strict/read-options.ts'
import type { OnInterrupted, Tool } from '../../actors/tool.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { ConfigurationError } from '../../errors.ts'
import { callTool, type Clients } from './call.ts'
import type { McpClient, McpTool } from './client.ts'
import type { McpConnection } from './connection.ts'
import { unavailable, failureOf } from './failures.ts'
import { toolNames } from './names.ts'
import { toolsFields, type McpToolsOptions } from './options.ts'
import { inputSchemaOf, outputSchemaOf } from './schemas.ts'

/**
 * Lists the tools of an MCP server as tools of an agent, by the names that the model sees. Give an agent a function,
 * `tools: () => mcpTools(connection)`: each run then lists them once, and keeps them in its journal. `source` is an
 * `McpConnection`, or a connected client, which is used as it is and not connected again.
 * Rejects with a `ConfigurationError` for a wrong option, for a name in `only` that the server does not have, and for a
 * tool that is to be strict and cannot be; with a
 * `RetryableError` (`MCP_UNAVAILABLE`) when the server cannot be reached.
 */
export async function mcpTools(
  source: McpConnection | McpClient,
  options: McpToolsOptions = {},
): Promise<Record<string, Tool<JsonValue>>> {
  const read = readOptions<McpToolsOptions>(options, 'mcpTools', toolsFields)
  const clients = clientsOf(source)
  const listed = chosen(await list(clients), read)
  const names = toolNames(
    listed.map(({ name }) => name),
    read.prefix ?? '',
  )
  return Object.fromEntries(
    listed.map((tool) => {
      const id = names.get(tool.name) ?? tool.name
      return [id, toolOf(tool, id, clients, read)]
    }),
  )
}

function clientsOf(source: McpConnection | McpClient): Clients {
  if (!isObject(source)) throw wrong(source, 'mcpTools: the first argument', 'an MCP connection or client')
  if (!('callTool' in source)) {
    return { client: () => source.client(), lost: (client) => source.lost(client) }
  }
  return { client: () => Promise.resolve(source) }
}

/** A list that met a lost connection is asked for once more, on a new one. */
async function list(clients: Clients, isAgain = false): Promise<readonly McpTool[]> {
  const client = await clients.client()
  try {
    return (await client.listTools()).tools
  } catch (error) {
    const { isLost } = failureOf(error)
    if (isLost) clients.lost?.(client)
    if (!isLost || isAgain || clients.lost === undefined) throw unavailable(error)
    return list(clients, true)
  }
}

function chosen(tools: readonly McpTool[], { only }: McpToolsOptions): readonly McpTool[] {
  if (only === undefined) return tools
  if (typeof only === 'function') return tools.filter((tool) => only(tool))
  const missing = only.find((name) => !tools.some((tool) => tool.name === name))
  if (missing !== undefined) {
    const known = tools.map(({ name }) => name).join(', ')
    throw new ConfigurationError(`mcpTools: only names "${missing}". The server has: ${known || 'no tools'}.`)
  }
  return tools.filter(({ name }) => only.includes(name))
}

function toolOf(tool: McpTool, id: string, clients: Clients, options: McpToolsOptions): Tool<JsonValue> {
  const { groups } = options
  const onInterrupted = policyOf(tool, options)
  const outputSchema = options.errors === 'show' ? undefined : outputSchemaOf(tool.outputSchema)
  return createTool({
    id,
    description: descriptionOf(tool),
    inputSchema: inputSchemaOf(tool.inputSchema),
    strict: isStrict(tool, options),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    requireApproval: needsApproval(tool, options),
    onInterrupted,
    ...(groups === undefined ? {} : { groups }),
    execute: (args, execution) =>
      callTool({ name: tool.name, onInterrupted }, isRecord(args) ? args : {}, execution, clients, options),
  })
}

function descriptionOf({ name, title, description, annotations }: McpTool): string {
  const texts = [description, title, annotations?.title]
  return texts.find((text) => text !== undefined && text.trim() !== '') ?? name
}

function policyOf(tool: McpTool, { onInterrupted }: McpToolsOptions): OnInterrupted {
  if (typeof onInterrupted === 'function') return onInterrupted(tool)
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {}
  return onInterrupted ?? (readOnlyHint === true || idempotentHint === true ? 'retry' : 'ask')
}

function isStrict(tool: McpTool, { strict = false }: McpToolsOptions): boolean {
  return typeof strict === 'function' ? strict(tool) : strict
}

function needsApproval(tool: McpTool, { approve }: McpToolsOptions): boolean {
  if (typeof approve === 'function') return approve(tool)
  return approve ?? tool.annotations?.destructiveHint === true
}
