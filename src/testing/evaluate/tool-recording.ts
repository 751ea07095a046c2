/** A recording of tools: their calls in a run, with the results, as a text of one call a line. */
import { z } from 'zod'
import { canonicalJson, type JsonValue } from '../../actors/values/json.ts'
import { ConfigurationError, type ErrorData } from '../../errors.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'

/** One call: it returned, failed, or a person denied it. */
export type ToolRecord = {
  /** The id of the agent that made the call. */
  readonly agent: string
  /** The name that the model sees. */
  readonly tool: string
  readonly args: JsonValue
} & (
  | { readonly result: JsonValue }
  | { readonly error: { readonly code: string; readonly message: string } }
  | { readonly denied: true; readonly reason?: string | undefined }
)

/** Failures of a call that never reached its tool: they follow from the reply of the model, and not from the tool. */
const notOfTools: readonly string[] = ['INVALID_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'UNRECORDED_CALL']

/**
 * Writes the calls of tools and workflows in a run, those of its subagents included, with their results: one line of
 * JSON a call, in the order of the calls. `events` are those of a run, from the first on: `run.events`.
 */
export async function recordTools(events: AsyncIterable<RunEvent> | Iterable<RunEvent>): Promise<string> {
  const all: RunEvent[] = []
  for await (const event of events) all.push(event)
  return writeTools(toolRecordsOf(all))
}

export function toolRecordsOf(events: Iterable<RunEvent>): readonly ToolRecord[] {
  const calls = new Map<string, { agent: string; tool: string; args: JsonValue }>()
  const ended = new Map<string, ToolRecord>()
  /** Why a person denied a call. */
  const reasons = new Map<string, string>()
  for (const event of events) {
    switch (event.type) {
      case 'tool-call': {
        const { toolCallId, toolName, args } = event.payload
        calls.set(toolCallId, { agent: event.agent, tool: toolName, args })
        break
      }
      case 'tool-result': {
        const call = calls.get(event.payload.toolCallId)
        if (call !== undefined) ended.set(event.payload.toolCallId, { ...call, result: event.payload.result })
        break
      }
      case 'tool-call-answered': {
        const { toolCallId, reason } = event.payload
        if (reason !== undefined) reasons.set(toolCallId, reason)
        break
      }
      case 'tool-error': {
        const { toolCallId, outcome, error } = event.payload
        const call = calls.get(toolCallId)
        const failure = failureOf(outcome, error, reasons.get(toolCallId))
        if (call !== undefined && failure !== undefined) ended.set(toolCallId, { ...call, ...failure })
        break
      }
      default:
    }
  }
  return [...calls.keys()].flatMap((id) => ended.get(id) ?? [])
}

function failureOf(outcome: string, error: ErrorData | undefined, reason: string | undefined) {
  if (outcome === 'denied') return { denied: true, ...(reason === undefined ? {} : { reason }) } as const
  if (outcome !== 'failed' || error === undefined || notOfTools.includes(error.code)) return undefined
  return { error: { code: error.code, message: error.message } }
}

export function writeTools(records: readonly ToolRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

const call = { agent: z.string(), tool: z.string(), args: z.json() }
const error = z.object({ code: z.string(), message: z.string() })
const record = z.union([
  z.strictObject({ ...call, result: z.json() }),
  z.strictObject({ ...call, error }),
  z.strictObject({ ...call, denied: z.literal(true), reason: z.string().optional() }),
])

/** Throws a `ConfigurationError` that names the line. */
export function readTools(text: string, where: string): readonly ToolRecord[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const read = record.safeParse(parsed(line))
    if (read.success) return [read.data]
    throw new ConfigurationError(
      `${where}: line ${index + 1} is no recorded call of a tool: ${line.slice(0, 80)}. Make recordings with recordTools().`,
    )
  })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // the caller reports it, with its line
  }
}

/** Equal for calls of the same tool with the same arguments. */
export function keyOfCall({ tool, args }: Pick<ToolRecord, 'tool' | 'args'>): string {
  return `${tool} ${canonicalJson(args)}`
}
