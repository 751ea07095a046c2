/** The result of a run, in the shape of Mastra. */
import { orThrow, type JsonValue, type RunResult, type StepRecord, type Usage } from '../index.ts'
import { finishReasonOf } from './finish-reason.ts'

interface CallOfResult {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: JsonValue
}

interface ResultOfCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly result: JsonValue | undefined
}

/** The end of a run, or its suspension. `Output` is the type of the object under `structuredOutput`. */
export interface GenerateResult<Output = undefined> {
  readonly runId: string
  /** The final answer alone. */
  readonly text: string
  readonly object: Output | undefined
  /** `stop`, `tool-calls` where a cap was reached, `tripwire`, `suspended` or `abort`. */
  readonly finishReason: string
  readonly usage: Usage
  readonly steps: readonly StepRecord[]
  readonly toolCalls: readonly CallOfResult[]
  readonly toolResults: readonly ResultOfCall[]
  /** Of a suspended run: the data that the tool has given. */
  readonly suspendPayload: JsonValue | undefined
  /** The result as this library gives it. */
  readonly result: RunResult
}

/** Throws the error of a run that has failed. */
export function generateResultOf<Output>(given: RunResult): GenerateResult<Output> {
  const result = orThrow(given)
  const { runId, text, usage, steps } = result
  const calls = steps.flatMap(({ toolCalls }) => toolCalls)
  const results = steps.flatMap(({ toolResults }) => toolResults)
  return {
    runId,
    text,
    object: result.outcome === 'completed' ? (result.object as Output) : undefined,
    finishReason: finishReasonOf(result),
    usage,
    steps,
    toolCalls: calls.map(({ id, name, args }) => ({ toolCallId: id, toolName: name, args })),
    toolResults: results.map((one) => ({ toolCallId: one.id, toolName: one.name, result: valueOf(one) })),
    suspendPayload: result.outcome === 'suspended' ? result.awaiting[0]?.payload : undefined,
    result,
  }
}

/** Of a delegation: the text, and what its subagent's own calls gave. */
function valueOf({
  name,
  value,
  threadId,
  toolResults = [],
}: StepRecord['toolResults'][number]): JsonValue | undefined {
  if (!name.startsWith('agent-') || typeof value !== 'string') return value
  return {
    text: value,
    ...(threadId === undefined ? {} : { subAgentThreadId: threadId }),
    subAgentToolResults: toolResults.map((one) => ({
      toolCallId: one.id,
      toolName: one.name,
      result: valueOf(one) ?? null,
    })),
  }
}
