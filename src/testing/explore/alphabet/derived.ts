/** The alphabets of agents and tools for which none is given, derived from their definitions. */
import { delegationPrefix } from '../../../actors/strict/ids.ts'
import type { ToolDescription } from '../../../actors/chat-model.ts'
import { toJsonSchema } from '../../../actors/schemas/to-json-schema.ts'
import type { Tool } from '../../../actors/tool.ts'
import {
  answers,
  calls,
  decides,
  fails,
  returns,
  throws,
  type ModelSaying,
  type ToolSaying,
} from './sayings.ts'
import type { SayRequest } from './alphabet-options.ts'
import { isRecord, type JsonValue } from '../../../actors/values/json.ts'

/**
 * An answer; each tool, subagent and handoff on offer by itself; all subagents together; a failure where failures are
 * explored. A request with a response format gets one value for each choice that its schema names.
 */
export function derivedSayings(request: SayRequest, failures: boolean): readonly ModelSaying[] {
  const { agent, tools, responseFormat } = request
  const failing = failures ? [fails()] : []
  if (responseFormat !== undefined) {
    const { name, schema } = responseFormat
    return [...samplesOf(schema).map((value) => decides(name, value)), ...failing]
  }
  const subagents = tools.filter(({ name }) => name.startsWith(delegationPrefix))
  return [
    answers(`The answer of ${agent}.`),
    ...tools.map((tool) => callOf(tool)),
    ...(subagents.length > 1 ? [calls(...subagents.map(argsByName))] : []),
    ...failing,
  ]
}

// Sample values of a JSON Schema: the least that fits, and one for each choice among named values.

type JsonSchema = Readonly<Record<string, unknown>>

/** A value for each value of the first enumeration in the schema; one value where there is none. */
function samplesOf(schema: JsonSchema): readonly JsonValue[] {
  const choices = firstChoice(schema)
  return choices === undefined
    ? [sampleOf(schema, schema)]
    : choices.map((choice) => sampleOf(schema, schema, choice))
}

/** The first enumeration of a property, breadth first. */
function firstChoice(schema: JsonSchema): readonly JsonValue[] | undefined {
  const properties = Object.values(recordIn(schema, 'properties'))
  for (const property of properties) {
    const choices = isRecord(property) ? property['enum'] : undefined
    if (Array.isArray(choices) && choices.length > 1) return choices as JsonValue[]
  }
  return undefined
}

function sampleOf(schema: JsonSchema, root: JsonSchema, choice?: JsonValue): JsonValue {
  const target = resolved(schema, root)
  const { type, enum: values, const: value, default: byDefault, anyOf, oneOf, allOf } = target
  if (value !== undefined) return value as JsonValue
  if (Array.isArray(values)) {
    return (choice !== undefined && values.includes(choice) ? choice : values[0]) as JsonValue
  }
  if (byDefault !== undefined) return byDefault as JsonValue
  const variant = [anyOf, oneOf, allOf].find((list) => Array.isArray(list) && list.length > 0)
  if (Array.isArray(variant)) return sampleOf(variant[0] as JsonSchema, root, choice)
  switch (Array.isArray(type) ? (type[0] as unknown) : type) {
    case 'string':
      return textOf(target)
    case 'integer':
    case 'number':
      return numberOf(target)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return listOf(target, root, choice)
    default:
      return objectOf(target, root, choice)
  }
}

function objectOf(schema: JsonSchema, root: JsonSchema, choice?: JsonValue): JsonValue {
  const { required } = schema
  const names = Array.isArray(required) ? (required as string[]) : []
  const properties = recordIn(schema, 'properties')
  return Object.fromEntries(
    names.map((name) => [name, sampleOf(recordIn(properties, name), root, choice)] as const),
  )
}

function listOf(schema: JsonSchema, root: JsonSchema, choice?: JsonValue): JsonValue {
  const length = Number(schema['minItems'] ?? 1)
  return Array.from({ length }, () => sampleOf(recordIn(schema, 'items'), root, choice))
}

function textOf({ minLength, format }: JsonSchema): string {
  if (format === 'email') return 'name@example.com'
  if (format === 'uri') return 'https://example.com'
  if (format === 'date-time') return '2000-01-01T00:00:00Z'
  if (format === 'date') return '2000-01-01'
  return 'text'.padEnd(Number(minLength ?? 0), 'x')
}

function numberOf({ minimum, exclusiveMinimum, maximum }: JsonSchema): number {
  const least = Math.max(1, Number(minimum ?? 1), Number(exclusiveMinimum ?? 0) + 1)
  return Math.min(least, Number(maximum ?? least))
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref } = schema
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return schema
  return $ref
    .slice(2)
    .split('/')
    .reduce<JsonSchema>((target, name) => recordIn(target, name), root)
}

function recordIn(value: JsonSchema, name: string): JsonSchema {
  const part = value[name]
  return isRecord(part) ? part : {}
}

function callOf(tool: ToolDescription): ModelSaying {
  return calls(argsByName(tool))
}

function argsByName({ name, parameters }: ToolDescription) {
  const [args = {}] = samplesOf(parameters)
  return { [name]: args }
}

/** Deferred tools that the search of an exploration may find. */
const findable = 3

/**
 * A value that fits the output schema, if there is one; a failure where failures are explored. A search for `tools` finds
 * one of the first that are deferred, or none.
 */
export function derivedOutcomes(
  tool: Tool | undefined,
  failures: boolean,
  tools: Readonly<Record<string, Tool>> = {},
): readonly ToolSaying[] {
  if (tool?.finds !== undefined) {
    const deferred = Object.keys(tools).filter((name) => tools[name]?.deferred === true)
    const found = [...deferred.slice(0, findable).map((name) => [name]), []]
    return [...found.map((names) => returns({ found: names })), ...(failures ? [throws('TOOL_FAILED')] : [])]
  }
  const schema = tool?.outputSchema
  const [value = 'done'] = schema === undefined ? [] : samplesOf(toJsonSchema(schema, 'output'))
  return [returns(value), ...(failures ? [throws('TOOL_FAILED')] : [])]
}
