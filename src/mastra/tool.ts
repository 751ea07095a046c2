/** `createTool`, also for tools that describe neither themselves nor their input, and with the execution of Mastra. */
import {
  createTool as createTroupeTool,
  jsonSchema,
  TerminalError,
  type JsonValue,
  type Schema,
  type Tool,
  type ToolConfig,
  type ToolExecution,
} from '../index.ts'

/** The second argument of `execute`. `Resume` is the type of the data that a suspended call is given. */
export interface Execution<Resume = JsonValue> extends Omit<ToolExecution, 'agent' | 'resumeData'> {
  readonly resumeData: Resume | undefined
  /** The call, in the place where Mastra has it. */
  readonly agent: {
    readonly agentId: string
    readonly toolCallId: string
    /** `undefined` before the first answer. */
    readonly resumeData: Resume | undefined
    readonly suspend: ToolExecution['suspend']
  }
}

interface Suspending<Resume> {
  /** Checked when a suspended call is given data: a call with other data fails. Default: any data. */
  readonly resumeSchema?: Schema<unknown, Resume>
  /** For the reader: what the call is suspended with is not checked. Default: none. */
  readonly suspendSchema?: Schema
}

/** A tool whose input has a schema. */
export interface TypedToolConfig<Input extends Schema, Output, Resume = JsonValue>
  extends Omit<ToolConfig<Input, Output>, 'description' | 'execute'>, Suspending<Resume> {
  /** Default: the id. */
  readonly description?: string
  /** Does what the tool is for. */
  readonly execute: (
    input: NonNullable<Input['~standard']['types']>['output'],
    execution: Execution<Resume>,
  ) => Output | undefined | Promise<Output | undefined>
}

/** A tool whose input is whatever the model sends. */
export interface LooseToolConfig<Output, Resume = JsonValue>
  extends
    Omit<ToolConfig<Schema, Output>, 'description' | 'inputSchema' | 'requireApproval' | 'execute'>,
    Suspending<Resume> {
  /** Default: the id. */
  readonly description?: string
  /** None: the input is any object. */
  readonly inputSchema?: undefined
  /** A person must approve each call. Default: `false`. */
  readonly requireApproval?: boolean
  /** Does what the tool is for. */
  readonly execute: (
    input: LooseInput,
    execution: Execution<Resume>,
  ) => Output | undefined | Promise<Output | undefined>
}

/**
 * The input of a tool without a schema. It is the one `any` of the library: a program of Mastra reads any field of it, and
 * no type can tell which.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
export type LooseInput = any

const anyObject = jsonSchema({ type: 'object', properties: {}, additionalProperties: true })

/**
 * Defines a tool. Without an `inputSchema` its input is any object. Throws as `createTool` of `troupe` does.
 * @experimental
 */
export function createTool<Input extends Schema, Output, Resume = JsonValue>(
  config: TypedToolConfig<Input, Output, Resume>,
): Tool<Output>
export function createTool<Output, Resume = JsonValue>(config: LooseToolConfig<Output, Resume>): Tool<Output>
export function createTool(
  config: TypedToolConfig<Schema, unknown, unknown> | LooseToolConfig<unknown, unknown>,
): Tool {
  const { resumeSchema, suspendSchema: _, execute, ...rest } = config
  const { inputSchema = anyObject, description = config.id } = config
  if (typeof execute !== 'function') return createTroupeTool({ ...rest, description, inputSchema, execute })
  return createTroupeTool({
    ...rest,
    description,
    inputSchema,
    execute: async (input, execution) => execute(input, await executionOf(execution, resumeSchema)),
  })
}

async function executionOf(
  execution: ToolExecution,
  schema: Schema<unknown, unknown> | undefined,
): Promise<Execution<unknown>> {
  const { agent: agentId, toolCallId } = execution
  const resumeData = await checked(execution.resumeData, schema)
  const suspend: ToolExecution['suspend'] = (payload, options) => execution.suspend(payload, options)
  return { ...execution, resumeData, agent: { agentId, toolCallId, resumeData, suspend } }
}

async function checked(data: unknown, schema: Schema<unknown, unknown> | undefined): Promise<unknown> {
  if (schema === undefined || data === undefined) return data
  const result = await schema['~standard'].validate(data)
  if (result.issues === undefined) return result.value
  const faults = result.issues.map(({ message }) => message).join('; ')
  throw new TerminalError(`The data that the call was resumed with does not fit: ${faults}`)
}
