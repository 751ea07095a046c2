/** `createTool`: the definition of a tool. */
import {
  aBoolean,
  aCount,
  aFunction,
  aName,
  anything,
  aSchema,
  either,
  is,
  milliseconds,
  oneOf,
  positiveInteger,
} from './strict/checks.ts'
import { ConfigurationError } from '../errors.ts'
import { anyHint } from './strict/hints.ts'
import { readNamed, readNames, readState } from './strict/ids.ts'
import type { AnyContext, Schema } from './schemas/schema.ts'
import { strictParameters } from './schemas/strict-schema.ts'
import { toJsonSchema } from './schemas/to-json-schema.ts'
import {
  anObject,
  defaultsOf,
  isObject,
  optional,
  required,
  withDefault,
  type Fields,
} from './strict/read-options.ts'
import { defaultInterruptions, type Tool, type ToolBackground, type ToolConfig } from './tool.ts'
import { defaultGroup } from './tool-groups.ts'

type AnyConfig = Omit<ToolConfig<Schema, unknown>, 'execute'> & Pick<Tool, 'execute'>

export const toolBackgroundFields = {
  concurrency: withDefault(positiveInteger, 10),
} satisfies Fields<ToolBackground>

const aBooleanOrOptions = is('true, false or { concurrency }', (given) => typeof given === 'boolean')

export const toolFields = {
  id: required(anything),
  description: required(aName),
  inputSchema: required(aSchema),
  strict: withDefault(aBoolean, false),
  outputSchema: optional(aSchema),
  contextSchema: optional(aSchema),
  requireApproval: withDefault(
    is('true, false or a function of the input', (given) => ['boolean', 'function'].includes(typeof given)),
    false,
  ),
  approvalTimeout: optional(milliseconds),
  timeout: optional(milliseconds),
  onInterrupted: withDefault(oneOf('retry', 'ask', 'fail'), 'retry'),
  repeatable: withDefault(aBoolean, false),
  maxInterruptions: withDefault(aCount, defaultInterruptions),
  background: withDefault(either(isObject, anObject(toolBackgroundFields), aBooleanOrOptions), false),
  groups: withDefault(readNames, [defaultGroup]),
  applicableStates: withDefault(readNames, ['*']),
  nextState: optional(readState),
  execute: required(aFunction),
} satisfies Fields<AnyConfig>

/**
 * Defines a tool.
 * Throws a `ConfigurationError` for a bad id, a missing description, a schema that is not of an object, a `strict` tool
 * whose schema cannot be strict, an invalid name of a group or state, or a `nextState` of a tool that runs in the
 * background.
 */
export function createTool<Input extends Schema, Output, Context extends Schema = AnyContext>(
  config: ToolConfig<Input, Output, Context>,
): Tool<Output> {
  const { where, read } = readNamed<AnyConfig>(config, 'createTool', toolFields, anyHint)
  const { id, description, inputSchema, outputSchema, contextSchema, requireApproval, execute, ...rest } = {
    ...defaultsOf(toolFields),
    ...read,
  }
  const { strict, approvalTimeout, timeout, onInterrupted, maxInterruptions, background } = rest
  const { repeatable, groups, applicableStates, nextState } = rest
  if (background !== false && nextState !== undefined) {
    throw new ConfigurationError(
      `${where}: a tool that runs in the background has no nextState: its agent has gone on when a call ends.`,
    )
  }
  const parameters = toJsonSchema(inputSchema, where)
  return {
    id,
    description,
    inputSchema,
    parameters: strict ? strictParameters(parameters, where) : parameters,
    strict,
    outputSchema,
    contextSchema,
    requireApproval,
    approvalTimeout,
    timeout,
    onInterrupted,
    ...(repeatable ? { repeatable } : {}),
    maxInterruptions,
    background: backgroundOf(background),
    groups: Object.freeze([...groups]),
    applicableStates: Object.freeze([...applicableStates]),
    nextState,
    // The runtime validates with both schemas before it calls; only this place relies on it.
    execute: (input, execution) => execute.call(config, input, execution),
  }
}

function backgroundOf(given: boolean | ToolBackground): Tool['background'] {
  if (given === false) return undefined
  return Object.freeze({ ...defaultsOf(toolBackgroundFields), ...(given === true ? {} : given) })
}
