/** The tools of pages: those that a start may bring, and which calls of a run are for its page. */
import type { ClientTool, RunEvent } from '../../index.ts'
import { isChild, isRecord } from '../../kit/index.ts'
import { readClientTools } from '../../kit/host.ts'
import { readAs, wrongRequest } from '../../kit/wire/index.ts'
import type { Access, ServedQuestion } from '../access/authorize.ts'
import type { Serving } from './serving.ts'

/**
 * The tools of a request that the caller may bring. `given`: a list of tools with their names, or an object of tools by their
 * names; other fields of a tool than those of a `ClientTool` are left out. Throws a `RefusedRequest`.
 */
export function allowedTools(given: unknown, { clientTools: allowed = [] }: Access): readonly ClientTool[] {
  if (given === undefined || given === null || allowed.length === 0) return []
  const tools = listed(given).filter(({ name }) => allowed === 'all' || allowed.some((one) => one === name))
  return readAs(() => readClientTools(tools, 'tools'))
}

function listed(given: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(given) && given.every(isRecord)) return given.map(plain)
  if (!isRecord(given)) throw wrongRequest('tools must be a list of tools, or an object of tools by name.')
  return Object.entries(given).map(([name, tool]) => ({ ...(isRecord(tool) ? plain(tool) : {}), name }))
}

function plain({ name, description, parameters }: Readonly<Record<string, unknown>>) {
  return {
    name,
    ...(description === undefined || description === null ? {} : { description }),
    ...(parameters === undefined || parameters === null ? {} : { parameters }),
  }
}

/** The facts of an event by which the calls of a page are told from all others. */
type OfCall = Pick<RunEvent, 'agent' | 'delegationId'>

/** The calls of a run that its page performs: those of the tools of its client, by the agent that the run began with. */
export class ClientCalls {
  #agent = ''
  #names: ReadonlySet<string> = new Set()

  /** Notes the beginning of the run. */
  take(event: RunEvent): void {
    if (event.type !== 'run-start') return
    this.#agent = event.agent
    this.#names = new Set(event.payload.clientTools)
  }

  /** Whether the question is such a call. */
  asks({
    agent,
    toolName,
    toolCallId,
    type,
  }: Pick<ServedQuestion, 'agent' | 'toolName' | 'toolCallId' | 'type'>): boolean {
    return type === 'suspension' && !isDelegated(toolCallId) && this.has({ agent }, toolName)
  }

  has({ agent, delegationId }: OfCall, toolName: string): boolean {
    return delegationId === undefined && agent === this.#agent && this.#names.has(toolName)
  }
}

/** Whether the call is one of a subagent. */
function isDelegated(toolCallId: string): boolean {
  return toolCallId.split('/').some((id) => isChild(id, 'delegation'))
}

/** The calls of the page of a run that is read from a later place. */
export async function clientCallsOf({ service }: Serving, runId: string): Promise<ClientCalls> {
  const calls = new ClientCalls()
  for await (const event of service.watch(runId)) {
    calls.take(event)
    if (event.type === 'run-start') break
  }
  return calls
}
