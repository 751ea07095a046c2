/** `createTool`, also for tools that describe neither themselves nor their input. */
import {
  createTool as createTroupeTool,
  jsonSchema,
  type Schema,
  type Tool,
  type ToolConfig,
  type ToolExecution,
} from '../index.ts'

/** A tool whose input has a schema. */
export interface TypedToolConfig<Input extends Schema, Output> extends Omit<
  ToolConfig<Input, Output>,
  'description'
> {
  /** Default: the id. */
  readonly description?: string
}

/** A tool whose input is whatever the model sends. */
export interface LooseToolConfig<Output> extends Omit<
  ToolConfig<Schema, Output>,
  'description' | 'inputSchema' | 'requireApproval' | 'execute'
> {
  /** Default: the id. */
  readonly description?: string
  /** None: the input is any object. */
  readonly inputSchema?: undefined
  /** A person must approve each call. Default: `false`. */
  readonly requireApproval?: boolean
  /** Does what the tool is for. */
  readonly execute: (input: LooseInput, execution: ToolExecution) => Output | Promise<Output>
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
 */
export function createTool<Input extends Schema, Output>(config: TypedToolConfig<Input, Output>): Tool<Output>
export function createTool<Output>(config: LooseToolConfig<Output>): Tool<Output>
export function createTool(config: TypedToolConfig<Schema, unknown> | LooseToolConfig<unknown>): Tool {
  const { inputSchema = anyObject, description = config.id } = config
  return createTroupeTool({ ...config, description, inputSchema })
}
