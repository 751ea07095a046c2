/** The tools of one case: they answer from its recording, and a call without one is noted. */
import { z } from 'zod'
import { validate, validateWritten } from '../../actors/schemas/validate.ts'
import type { Tool, ToolExecution } from '../../actors/tool.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import { TerminalError } from '../../errors.ts'
import { keyOfCall, type ToolRecord } from './tool-recording.ts'

/** A call of a tool, as the model makes it. */
export interface UnrecordedCall {
  readonly tool: string
  readonly args: JsonValue
}

interface Kept {
  readonly records: readonly ToolRecord[]
  /** How many of them were replayed. */
  used: number
}

export interface RecordedToolsOptions {
  readonly records: readonly ToolRecord[]
  /** Whether a call without a recording runs its tool. */
  readonly mayRun: boolean
  /** Called with each call that has no recording and does not run. */
  readonly onMissing: (call: UnrecordedCall) => void
}

export class RecordedTools {
  readonly #kept = new Map<string, Kept>()
  readonly #options: RecordedToolsOptions
  readonly #thrown = new WeakSet<object>()
  #replayed = 0
  #ran = 0

  constructor(options: RecordedToolsOptions) {
    this.#options = options
    for (const [key, records] of Map.groupBy(options.records, keyOfCall))
      this.#kept.set(key, { records, used: 0 })
  }

  /** Calls that were answered from the recording. */
  get replayed(): number {
    return this.#replayed
  }

  /** Calls that ran their tool. */
  get ran(): number {
    return this.#ran
  }

  /** Recorded calls that the run did not make. */
  get unused(): readonly ToolRecord[] {
    return [...this.#kept.values()].flatMap(({ records, used }) => records.slice(used))
  }

  /** Whether an error is a recorded one, or says that there is no recording: no fault of a function of the user's. */
  hasThrown(error: unknown): boolean {
    return typeof error === 'object' && error !== null && this.#thrown.has(error)
  }

  /** The record that the next such call gets, after the last one always the last. */
  recordOf(call: UnrecordedCall): ToolRecord | undefined {
    const kept = this.#kept.get(keyOfCall(call))
    return kept?.records[Math.min(kept.used, kept.records.length - 1)]
  }

  /** The tool that takes the place of `tool`: it gets the arguments as the model has written them. */
  replace(name: string, tool: Tool): Tool {
    const { requireApproval } = tool
    return {
      ...tool,
      inputSchema: z.unknown(),
      outputSchema: undefined,
      requireApproval:
        typeof requireApproval === 'function'
          ? async (args) => requireApproval(await inputOf(tool, args as JsonValue))
          : requireApproval,
      execute: async (args, execution) =>
        this.#call({ tool: name, args: args as JsonValue }, tool, execution),
    }
  }

  async #call(call: UnrecordedCall, tool: Tool, execution: ToolExecution): Promise<unknown> {
    const record = this.recordOf(call)
    if (record === undefined) return this.#without(call, tool, execution)
    const kept = this.#kept.get(keyOfCall(call))
    if (kept !== undefined) kept.used = Math.min(kept.used + 1, kept.records.length)
    this.#replayed++
    if ('result' in record) return record.result
    throw this.#noted(
      'error' in record ? new TerminalError(record.error.message, { code: record.error.code }) : denied(),
    )
  }

  async #without(call: UnrecordedCall, tool: Tool, execution: ToolExecution): Promise<unknown> {
    if (!this.#options.mayRun) {
      this.#options.onMissing(call)
      throw this.#noted(
        new TerminalError(`There is no recording of the call ${keyOfCall(call)}.`, {
          code: 'UNRECORDED_CALL',
        }),
      )
    }
    this.#ran++
    const value = await tool.execute(await inputOf(tool, call.args), execution)
    if (tool.outputSchema === undefined) return value
    const checked = await validate(tool.outputSchema, value)
    if (checked.ok) return value
    throw new TerminalError(`The result does not fit the output schema: ${checked.problem}`, {
      code: 'INVALID_TOOL_OUTPUT',
    })
  }

  #noted(error: TerminalError): TerminalError {
    this.#thrown.add(error)
    return error
  }
}

/** The input that the tool reads: its schema may change the arguments of the model. */
async function inputOf(tool: Tool, args: JsonValue): Promise<unknown> {
  const checked = await validateWritten(tool.inputSchema, args)
  if (checked.ok) return checked.value
  throw new TerminalError(checked.problem, { code: 'INVALID_TOOL_CALL' })
}

/** The recorded call was denied, and today's tool does not ask a person. */
function denied(): TerminalError {
  return new TerminalError('The recorded call was denied.', { code: 'DENIED' })
}
