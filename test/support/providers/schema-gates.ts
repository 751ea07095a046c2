/**
 * What servers refuse in a schema, as second implementations: each gate is written from the public rules of its provider,
 * and from its words in public reports, and shares nothing with the code of the library. A gate answers with the words of
 * the refusal.
 */

type Node = Readonly<Record<string, unknown>>
type Gate = (schema: unknown) => string | undefined

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const typesOf = (node: Node): readonly unknown[] => [node['type']].flat()

/** All schemas within a schema, with their places. */
function* within(schema: unknown, at = '$'): Generator<readonly [at: string, node: Node]> {
  if (!isNode(schema)) return
  yield [at, schema]
  for (const [keyword, value] of Object.entries(schema)) {
    if (['properties', '$defs', 'definitions', 'patternProperties'].includes(keyword) && isNode(value)) {
      for (const [name, part] of Object.entries(value)) yield* within(part, `${at}.${keyword}.${name}`)
    } else if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword) && Array.isArray(value)) {
      for (const [index, part] of value.entries()) yield* within(part, `${at}.${keyword}.${index}`)
    } else if (['items', 'additionalProperties', 'not', 'propertyNames', 'contains'].includes(keyword)) {
      yield* within(value, `${at}.${keyword}`)
    }
  }
}

const first = (
  schema: unknown,
  fault: (node: Node, at: string) => string | undefined,
): string | undefined => {
  for (const [at, node] of within(schema)) {
    const words = fault(node, at)
    if (words !== undefined) return words
  }
  return undefined
}

const openaiFormats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']

/** https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas". */
const openaiStrictKeywords = (
  'type description title enum const anyOf $ref $defs definitions properties required additionalProperties items ' +
  'minItems maxItems pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'
).split(' ')

function lookaround(node: Node, at: string): string | undefined {
  return /\(\?<?[=!]/.test(textOf(node['pattern']))
    ? `Invalid JSON schema: regex lookaround is not supported. Found at ${at}.pattern.`
    : undefined
}

function format(node: Node, at: string, known: readonly string[]): string | undefined {
  return node['format'] === undefined || known.includes(textOf(node['format']))
    ? undefined
    : `Invalid schema: In context=(${at}), '${textOf(node['format'])}' is not a valid format.`
}

const openaiStrict: Gate = (schema) => {
  if (!isNode(schema) || schema['type'] !== 'object' || 'anyOf' in schema) {
    return `Invalid schema: schema must be of type 'object' and not have 'anyOf' at the top level.`
  }
  return first(schema, (node, at) => {
    const unknown = Object.keys(node).find((keyword) => !openaiStrictKeywords.includes(keyword))
    if (unknown !== undefined) return `Invalid schema: In context=(${at}), '${unknown}' is not permitted.`
    if (node['$ref'] !== undefined && Object.keys(node).some((key) => !['$ref', '$defs'].includes(key))) {
      return `Invalid schema: In context=(${at}), $ref cannot have keywords beside it.`
    }
    if (!['type', 'anyOf', '$ref', 'enum', 'const'].some((keyword) => keyword in node)) {
      return `Invalid schema: In context=(${at}), schema must have a 'type' key.`
    }
    if (typesOf(node).includes('object')) {
      const names = Object.keys(node['properties'] ?? {})
      const required = (node['required'] ?? []) as readonly string[]
      if (node['additionalProperties'] !== false) {
        return `Invalid schema: In context=(${at}), 'additionalProperties' is required to be supplied and to be false.`
      }
      if (names.some((name) => !required.includes(name)) || required.some((name) => !names.includes(name))) {
        return `Invalid schema: In context=(${at}), 'required' must include every key in properties.`
      }
    }
    if (typesOf(node).includes('array') && !isNode(node['items'])) {
      return `Invalid schema: In context=(${at}), array schema missing items.`
    }
    return lookaround(node, at) ?? format(node, at, openaiFormats)
  })
}

/** Tools and formats that are not strict: cyanheads/git-mcp-server#47, vercel/ai#16021. */
const openai: Gate = (schema) => {
  if (!isNode(schema) || schema['type'] !== 'object')
    return `Invalid schema: schema must be of type 'object'.`
  const top = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].find((keyword) => keyword in schema)
  if (top !== undefined) return `Invalid schema: schema must not have '${top}' at the top level.`
  return first(schema, (node, at) => {
    if (typesOf(node).includes('array') && node['items'] === undefined) {
      return `Invalid schema: In context=(${at}), array schema missing items.`
    }
    if ('propertyNames' in node)
      return `Invalid schema: In context=(${at}), 'propertyNames' is not permitted.`
    return lookaround(node, at) ?? format(node, at, openaiFormats)
  })
}

/** The grammars of llama.cpp: `common/json-schema-to-grammar.cpp`, its readme, and what GBNF can escape. */
const grammar: Gate = (schema) =>
  first(schema, (node, at) => {
    const fail = (words: string) => `failed to parse grammar: ${words} (${at})`
    const { $ref, pattern } = node
    if (typeof $ref === 'string' && !/^(?:https:|#\/)/.test($ref)) return fail(`Unsupported ref: ${$ref}`)
    if (Object.keys(node).length === 0 || node['not'] !== undefined)
      return fail('only objects would be taken')
    if (node['type'] === 'string' && Array.isArray(node['allOf'])) return fail('a text becomes an object')
    if (Array.isArray(node['prefixItems']) && 'items' in node) return fail('the positions are not read')
    if (typeof pattern === 'string') {
      if (!pattern.startsWith('^') || !pattern.endsWith('$'))
        return fail("Pattern must start with '^' and end with '$'")
      if (/\(\?(?!:)/.test(pattern)) return fail('Unsupported pattern syntax')
      if (/\\[a-zA-Z0-9]/.test(pattern.replaceAll('\\\\', ''))) return fail('unknown escape')
    }
    return undefined
  })

const anthropicRefuses = (
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems contains ' +
  'patternProperties not oneOf prefixItems'
).split(' ')

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations". */
const anthropicStrict: Gate = (schema) => {
  if (!isNode(schema) || ['oneOf', 'anyOf', 'allOf'].some((keyword) => keyword in schema)) {
    return 'input_schema does not support oneOf, allOf, or anyOf at the top level'
  }
  return first(schema, (node, at) => {
    const refused = anthropicRefuses.find((keyword) => keyword in node)
    if (refused !== undefined) return `${at}: property '${refused}' is not supported`
    if (Number(node['minItems'] ?? 0) > 1) return `${at}: minItems must be 0 or 1`
    if (typesOf(node).includes('object') && node['additionalProperties'] !== false) {
      return `${at}: additionalProperties must be false`
    }
    if (/\(\?<?[=!]|\\b|\\[1-9]/.test(textOf(node['pattern']))) return `${at}: unsupported regex`
    return format(node, at, [...openaiFormats, 'uri'])
  })
}

const anthropic: Gate = (schema) =>
  isNode(schema) && schema['type'] === 'object' && !['oneOf', 'anyOf', 'allOf'].some((key) => key in schema)
    ? undefined
    : 'input_schema does not support oneOf, allOf, or anyOf at the top level'

/** https://ai.google.dev/gemini-api/docs/structured-output, and the fields of its `Schema`. */
const gemini: Gate = (schema) =>
  first(schema, (node, at) => {
    const unknown = [
      'const',
      'oneOf',
      'allOf',
      'propertyNames',
      'not',
      'exclusiveMinimum',
      'patternProperties',
    ]
      .concat(['exclusiveMaximum', 'multipleOf', 'uniqueItems', 'prefixItems', 'contentEncoding', '$schema'])
      .find((keyword) => keyword in node)
    if (unknown !== undefined)
      return `Invalid JSON payload received. Unknown name "${unknown}" at '${at}': Cannot find field.`
    if (typesOf(node).includes('array') && node['items'] === undefined) return `${at}.items: missing field.`
    if (node['type'] === 'string' && !['date-time', 'enum', undefined].includes(node['format'] as string)) {
      return `${at}.format: only 'enum' and 'date-time' are supported for STRING type`
    }
    return undefined
  })

export const schemaGates = {
  'openai-strict': openaiStrict,
  openai,
  grammar,
  'anthropic-strict': anthropicStrict,
  anthropic,
  gemini,
} as const satisfies Readonly<Record<string, Gate>>

interface ChatBody {
  readonly tools?: readonly { readonly function: Node }[]
  readonly response_format?: { readonly json_schema: Node }
}

/** Why OpenAI would refuse a request of Chat Completions, or a gateway to it and a server of grammars. */
export function refusalOf(body: unknown, by: 'openai' | 'any'): string | undefined {
  const { tools = [], response_format: answer } = body as ChatBody
  const schemas = [
    ...tools.map(({ function: tool }) => [tool['strict'], tool['parameters']] as const),
    ...(answer === undefined ? [] : [[answer.json_schema['strict'], answer.json_schema['schema']] as const]),
  ]
  const words = schemas.flatMap(([strict, schema]) => [
    (strict === true ? openaiStrict : openai)(schema),
    by === 'any' ? grammar(schema) : undefined,
  ])
  return words.find((one) => one !== undefined)
}
