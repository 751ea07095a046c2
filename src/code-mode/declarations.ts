/** The tools of a program as declarations of TypeScript, for the model that writes it. */
import type { Tool } from '../index.ts'
import { isRecord } from '../kit/index.ts'

/** A tool as a model sees it. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
  readonly result?: unknown
}

/** A Standard Schema that describes its output too. */
interface Described {
  readonly output?: (options: { readonly target: string }) => unknown
}

/** Types nest at most so deep: what is below is `unknown`. */
const deepest = 6

/** One line for each tool, with its description as a comment. */
export function declarationsOf(tools: readonly OfferedTool[]): string {
  return tools.map(declarationOf).join('\n')
}

/** The JSON Schema of the values that a schema gives; `undefined` where it cannot say. */
export function resultOf(schema: Tool['outputSchema']): unknown {
  try {
    const described = schema?.['~standard'].jsonSchema as Described | undefined
    return described?.output?.({ target: 'draft-2020-12' })
  } catch {
    return undefined // the schema has no form in JSON Schema
  }
}

function declarationOf({ name, description, parameters, result }: OfferedTool): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
  const about = description.replace(/\s+/g, ' ').replaceAll('*/', '* /').trim()
  const answer = result === undefined ? 'unknown' : typeOf(result)
  return `${about === '' ? '' : `/** ${about} */\n`}tools${key}(args: ${typeOf(parameters)}): Promise<${answer}>`
}

/** The type that a JSON Schema describes. Whatever it says that no type can say is left out. */
function typeOf(schema: unknown, depth = 0): string {
  if (!isRecord(schema) || depth > deepest) return 'unknown'
  const { const: constant, enum: values, type } = schema
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)))
  for (const key of ['anyOf', 'oneOf']) {
    const options = schema[key]
    if (Array.isArray(options)) return union(options.map((option) => typeOf(option, depth + 1)))
  }
  if (Array.isArray(type)) return union(type.map((one: unknown) => typeOf({ ...schema, type: one }, depth)))
  switch (type) {
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type
    case 'array':
      return `${bracketed(typeOf(schema['items'], depth + 1))}[]`
    case 'object':
      return objectType(schema, depth)
    default:
      return isRecord(schema['properties']) ? objectType(schema, depth) : 'unknown'
  }
}

function objectType(
  { properties, required, additionalProperties }: Record<string, unknown>,
  depth: number,
): string {
  const needed = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    return `${commentOf(schema)}${key}${needed.has(name) ? '' : '?'}: ${typeOf(schema, depth + 1)}`
  })
  if (isRecord(additionalProperties)) fields.push(`[key: string]: ${typeOf(additionalProperties, depth + 1)}`)
  return fields.length === 0 ? 'Record<string, unknown>' : `{ ${fields.join('; ')} }`
}

function commentOf(schema: unknown): string {
  const about = isRecord(schema) && typeof schema['description'] === 'string' ? schema['description'] : ''
  return about === '' ? '' : `/* ${about.replace(/\s+/g, ' ').replaceAll('*/', '* /').trim()} */ `
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)]
  return distinct.length === 0 ? 'never' : distinct.join(' | ')
}

function bracketed(type: string): string {
  return /^[\w$]+$/.test(type) ? type : `(${type})`
}
