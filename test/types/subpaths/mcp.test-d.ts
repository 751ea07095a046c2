/** The tools of an MCP server are tools of an agent. */
import { createAgent, type ChatModel, type JsonValue, type Tool } from 'troupe'
import {
  answerElicitation,
  isElicitation,
  mcpConnection,
  mcpTools,
  type Elicitation,
  type McpTransport,
} from 'troupe/mcp'
import { expectType } from '../expect-type.ts'

export function tools(transport: McpTransport, model: ChatModel): void {
  const connection = mcpConnection({ transport: () => transport })
  expectType<Promise<Record<string, Tool<JsonValue>>>>()(mcpTools(connection, { only: ['read'] }))
  createAgent({
    id: 'desk',
    instructions: '',
    model,
    tools: () => mcpTools(connection, { approve: ({ annotations }) => annotations?.readOnlyHint !== true }),
  })
  // @ts-expect-error: a transport serves one connection
  mcpConnection({ transport })
  // @ts-expect-error: there is no such policy
  void mcpTools(connection, { onInterrupted: 'repeat' })
}

const takes = (_asked: Elicitation): void => undefined

export function answers(payload: JsonValue | undefined): void {
  if (isElicitation(payload)) takes(payload)
  answerElicitation(payload, { confirm: { action: 'accept', content: { window: 'night' } } })
  // @ts-expect-error: a person accepts, declines or does not decide
  answerElicitation(payload, { confirm: { action: 'agree' } })
}
