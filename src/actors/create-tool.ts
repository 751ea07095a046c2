/** `createTool`: the definition of a tool. */
import { aCount, aFunction, aName, anything, aSchema, is, milliseconds, oneOf } from './strict/checks.ts'
import { readNamed } from './strict/ids.ts'
import type { AnyContext, Schema } from './schemas/schema.ts'
import { toJsonSchema } from './schemas/to-json-schema.ts'
import { defaultsOf, optional, required, withDefault, type Fields } from './strict/read-options.ts'
import { defaultInterruptions, type Tool, type ToolConfig } from './tool.ts'
import { readNames, readState } from './strict/tool-group-names.ts'
import { defaultGroup } from './tool-groups.ts'

type AnyConfig = Omit<ToolConfig<Schema, unknown>, 'execute'> & Pick<Tool, 'execute'>

export const toolFields = {
  id: required(anything),
  description: required(aName),
  inputSchema: required(aSchema),
  outputSchema: optional(aSchema),
  contextSchema: optional(aSchema),
  requireApproval: withDefault(
    is('true, false or a function of the input', (given) => ['boolean', 'function'].includes(typeof given)),
    false,
  ),
  approvalTimeout: optional(milliseconds),
  timeout: optional(milliseconds),
  onInterrupted: withDefault(oneOf('retry', 'ask', 'fail'), 'retry'),
  maxInterruptions: withDefault(aCount, defaultInterruptions),
  groups: withDefault(readNames, [defaultGroup]),
  applicableStates: withDefault(readNames, ['*']),
  nextState: optional(readState),
  execute: required(aFunction),
} satisfies Fields<AnyConfig>

/**
 * Defines a tool.
 * Throws a `ConfigurationError` for a bad id, a missing description, a schema that is not of an object, or an invalid
 * name of a group or state.
 */
export function createTool<Input extends Schema, Output, Context extends Schema = AnyContext>(
  config: ToolConfig<Input, Output, Context>,
): Tool<Output> {
  const { where, read } = readNamed<AnyConfig>(config, 'createTool', toolFields)
  const { id, description, inputSchema, outputSchema, contextSchema, requireApproval, execute, ...rest } = {
    ...defaultsOf(toolFields),
    ...read,
  }
  const { approvalTimeout, timeout, onInterrupted, maxInterruptions } = rest
  const { groups, applicableStates, nextState } = rest
  return {
    id,
    description,
    inputSchema,
    parameters: toJsonSchema(inputSchema, where),
    outputSchema,
    contextSchema,
    requireApproval,
    approvalTimeout,
    timeout,
    onInterrupted,
    maxInterruptions,
    groups: Object.freeze([...groups]),
    applicableStates: Object.freeze([...applicableStates]),
    nextState,
    // The runtime validates with both schemas before it calls; only this place relies on it.
    execute: (input, execution) => execute.call(config, input, execution),
  }
}
