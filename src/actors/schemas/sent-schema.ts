/**
 * What of a JSON Schema goes to a server. A server refuses keywords, formats and patterns that it does not know, and with
 * them the whole request: they are rewritten where nothing is lost, and otherwise not sent. Our own check of the value has
 * the whole schema, so that what is not sent still holds; the model reads of it in the description of the value.
 */
import { isRecord, type JsonValue } from '../values/json.ts'
import { annotations, targets, type SchemaTarget, type TargetRules } from './schema-targets.ts'

type JsonSchema = Readonly<Record<string, JsonValue>>

export type SentSchema =
  | {
      readonly schema: JsonSchema
      /** What is left to our own check, by its place: `"lines.items[0].at": format`. */
      readonly kept: readonly string[]
      readonly problem?: undefined
    }
  /** Why the target cannot have the schema, with the place. */
  | { readonly problem: string; readonly schema?: undefined }

/** The schema as each target in turn takes it: a server that is strict may make a grammar of it, too. */
export function sentSchema(schema: JsonSchema, ...given: readonly SchemaTarget[]): SentSchema {
  let sent: SentSchema = { schema, kept: [] }
  for (const target of given) {
    if (sent.schema === undefined) return sent
    const next = writtenFor(sent.schema, targets()[target])
    sent = next.schema === undefined ? next : { schema: next.schema, kept: [...sent.kept, ...next.kept] }
  }
  return sent
}

function writtenFor(schema: JsonSchema, rules: TargetRules): SentSchema {
  const writer = new Writer(rules)
  try {
    const written = writer.root(schema)
    return { schema: written, kept: writer.kept }
  } catch (thrown) {
    if (thrown instanceof Unsendable) return { problem: thrown.message }
    throw thrown
  }
}

class Unsendable extends Error {}

/** The names of definitions: the root, for servers that know no reference to it; and a value of any type. */
const rootName = '__root'
const anyName = '__any'

const allTypes = ['string', 'number', 'boolean', 'null', 'object', 'array']

/** A schema with one of these says which values it takes. */
const shapes = [
  'type',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  'properties',
  'items',
  'prefixItems',
]

/** The keywords whose values are schemas by name. */
const named = ['$defs', 'definitions', 'patternProperties', 'dependentSchemas']

/** The keywords whose values are a schema. */
const single = [
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
]

/** The longest value of a keyword that the model is told in words. */
const longestNote = 120

class Writer {
  readonly kept: string[] = []
  readonly #rules: TargetRules
  #refersToRoot = false
  #refersToAny = false

  constructor(rules: TargetRules) {
    this.#rules = rules
  }

  root(schema: JsonSchema): JsonSchema {
    const written = this.#node(this.#withoutRootless(schema), '')
    const { $defs = {}, ...rest } = written
    const definitions = {
      ...(isRecord($defs) ? ($defs as JsonSchema) : {}),
      ...(this.#refersToRoot ? { [rootName]: rest } : {}),
      ...(this.#refersToAny ? { [anyName]: { type: allTypes, items: reference(anyName) } } : {}),
    }
    return Object.keys(definitions).length === 0 ? rest : { ...rest, $defs: definitions }
  }

  /** The fields of the variants of the root are fields of the root; which of them go together is left to our check. */
  #withoutRootless(schema: JsonSchema): JsonSchema {
    const found = [...this.#rules.rootless].filter((keyword) => keyword in schema)
    if (found.length === 0) return schema
    if (this.#rules.isStrict) throw new Unsendable(`the schema uses "${found[0]}"`)
    const variants = found.flatMap((keyword) => listOf(schema[keyword])).filter(isRecord) as JsonSchema[]
    const properties = [schema, ...variants].map((variant) => variant['properties']).filter(isRecord)
    this.kept.push(...found.map((keyword) => `${place('')}: ${keyword}`))
    return {
      ...without(schema, found),
      ...(properties.length === 0 ? {} : { properties: united(properties as Record<string, JsonValue>[]) }),
    }
  }

  #part(value: JsonValue | undefined, path: string): JsonValue {
    if (value === true) return this.#node({}, path)
    if (isRecord(value)) return this.#node(value, path)
    if (this.#rules.isStrict) throw new Unsendable(`${place(path)} is no schema of an object form`)
    return value ?? {}
  }

  #node(given: JsonSchema, path: string): JsonSchema {
    const schema = this.#combined(withTuple(without(given, annotations)), path)
    this.#assertSendable(schema, path)
    const typed = this.#typed(schema, path)
    const { schema: sent, notes } = this.#sendable(typed, path)
    const written = this.#withParts(sent, path)
    return this.#finished(notes.length === 0 ? written : noted(written, notes), path)
  }

  #assertSendable(schema: JsonSchema, path: string): void {
    const refused = Object.keys(schema).find((keyword) => this.#rules.refused.has(keyword))
    if (refused !== undefined) throw new Unsendable(`${place(path)} uses "${refused}"`)
    if (this.#rules.isStrict && isOfType(schema, 'object')) assertClosed(schema, path)
    if (this.#rules.isStrict && isOfType(schema, 'array') && !('items' in schema)) {
      throw new Unsendable(`${place(path)} is a list without "items"`)
    }
  }

  /** `oneOf` is `anyOf`: the variants of a discriminated union never fit both. A list of constraints is no shape. */
  #combined(given: JsonSchema, path: string): JsonSchema {
    let schema = given
    if ('oneOf' in schema) {
      const { oneOf = [], ...rest } = schema
      if (!isDiscriminated(oneOf)) this.kept.push(`${place(path)}: oneOf`)
      if (!('anyOf' in schema)) schema = { ...rest, anyOf: oneOf }
      else if (this.#rules.isStrict) throw new Unsendable(`${place(path)} uses "oneOf" beside "anyOf"`)
      else schema = rest
    }
    const all = listOf(schema['allOf'])
    if (all.length === 0) return schema
    const [only] = all
    const rest = without(schema, ['allOf'])
    if (all.every(isOfConstraints)) {
      this.kept.push(`${place(path)}: allOf`)
      return rest
    }
    const isMerged = all.length === 1 && isRecord(only) && Object.keys(only).every((key) => !(key in rest))
    return isMerged ? { ...rest, ...(only as JsonSchema) } : schema
  }

  /** With the type of its fixed values; a value of any type cannot be strict. */
  #typed(schema: JsonSchema, path: string): JsonSchema {
    if (shapes.some((keyword) => keyword in schema)) {
      const type = 'type' in schema ? undefined : typeOfValues(schema)
      if (type !== undefined) return { ...schema, type }
      const isUntyped = !['type', 'enum', 'const', 'anyOf', 'allOf', '$ref'].some((name) => name in schema)
      if (isUntyped && this.#rules.isStrict) throw new Unsendable(`${place(path)} has no type`)
      return schema
    }
    if (this.#rules.isStrict) throw new Unsendable(`${place(path)} has no type`)
    return { ...schema, ...this.#any() }
  }

  /** A value of any type. */
  #any(): JsonSchema {
    if (!this.#rules.listsTypes) return {}
    this.#refersToAny = true
    return reference(anyName)
  }

  /** Without what the server does not know, and with notes of it. */
  #sendable(schema: JsonSchema, path: string) {
    const notes: string[] = []
    const entries = Object.entries(schema).filter(([keyword, value]) => {
      if (this.#takes(keyword, value)) return true
      if (!isImplied(keyword, value)) {
        this.kept.push(`${place(path)}: ${keyword}`)
        const text = typeof value === 'string' ? value : JSON.stringify(value)
        if (text.length <= longestNote && !isAnnotation(keyword)) notes.push(`${keyword}: ${text}`)
      }
      return false
    })
    return { schema: Object.fromEntries(entries), notes }
  }

  #takes(keyword: string, value: JsonValue): boolean {
    const { formats, takesPattern, unsent, isStrict } = this.#rules
    if (keyword === 'format')
      return formats === undefined || (typeof value === 'string' && formats.has(value))
    if (keyword === 'pattern') return typeof value === 'string' && takesPattern(value)
    if (keyword === 'minItems' && isStrict && unsent.has('maxItems')) return value === 0 || value === 1
    return !unsent.has(keyword)
  }

  #withParts(schema: JsonSchema, path: string): JsonSchema {
    const written: Record<string, JsonValue> = { ...schema }
    const { items, additionalProperties, properties } = schema
    if (isRecord(properties)) written['properties'] = this.#table(properties, path)
    for (const keyword of named) {
      const table = schema[keyword]
      if (isRecord(table)) written[keyword] = this.#table(table, path)
    }
    if (items !== undefined && items !== false) written['items'] = this.#part(items, below(path, 'items[0]'))
    if (isRecord(additionalProperties)) {
      const isAny = Object.keys(additionalProperties).length === 0
      written['additionalProperties'] = isAny || this.#part(additionalProperties, below(path, '*'))
    }
    for (const keyword of single) {
      const part = schema[keyword]
      if (isRecord(part)) written[keyword] = this.#part(part, below(path, keyword))
    }
    for (const keyword of ['anyOf', 'allOf', 'prefixItems']) {
      if (!(keyword in schema)) continue
      written[keyword] = listOf(schema[keyword]).map((part, index) =>
        this.#part(part, below(path, `${keyword}[${index}]`)),
      )
    }
    return written
  }

  #table(table: JsonSchema, path: string): JsonSchema {
    return Object.fromEntries(
      Object.entries(table).map(([name, part]) => [name, this.#part(part, below(path, name))]),
    )
  }

  /** What the target wants beyond the keywords. */
  #finished(given: JsonSchema, path: string): JsonSchema {
    const { isStrict, listsConst, definesRoot, needsItems } = this.#rules
    let schema = this.#withItems(given, path)
    if (isStrict && isOfType(schema, 'object')) {
      schema = { properties: {}, required: [], ...schema, additionalProperties: false }
    }
    if (needsItems && isOfType(schema, 'array') && !('items' in schema)) {
      schema = { ...schema, items: this.#any() }
    }
    if (listsConst && 'const' in schema) {
      const { const: value = null, ...rest } = schema
      schema = { ...rest, enum: [value] }
    }
    if (definesRoot && schema['$ref'] === '#') {
      this.#refersToRoot = true
      schema = { ...schema, ...reference(rootName) }
    }
    return isStrict ? withReferenceAlone(schema) : schema
  }

  #withItems(schema: JsonSchema, path: string): JsonSchema {
    const { prefixItems, items, ...rest } = schema
    if (prefixItems === undefined || this.#rules.tuples === 'any') return schema
    const isClosed = items === undefined || items === false
    if (this.#rules.tuples === 'kept' && isClosed) return { ...rest, prefixItems }
    this.kept.push(`${place(path)}: prefixItems`)
    const variants = distinct([...listOf(prefixItems), ...(isClosed ? [] : [items])])
    return { ...rest, items: variants.length === 1 ? (variants[0] ?? {}) : { anyOf: variants } }
  }
}

/** The positions of a tuple under today's name: until 2019 they were `items`, and the others `additionalItems`. */
function withTuple(schema: JsonSchema): JsonSchema {
  const { items, additionalItems, ...rest } = schema
  if (!Array.isArray(items)) return schema
  return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
}

function reference(name: string): JsonSchema {
  return { $ref: `#/$defs/${name}` }
}

function assertClosed(schema: JsonSchema, path: string): void {
  const { properties = {}, required = [], additionalProperties = false } = schema
  if (additionalProperties !== false) throw new Unsendable(`${place(path)} allows further properties`)
  if (!isRecord(properties) || !Array.isArray(required)) {
    throw new Unsendable(`${place(path)} is no schema of an object`)
  }
  const free = Object.keys(properties).find((name) => !required.includes(name))
  if (free !== undefined) throw new Unsendable(`${place(below(path, free))} is not required`)
}

/** Strict servers take nothing beside a reference: the rest goes around it. */
function withReferenceAlone(schema: JsonSchema): JsonSchema {
  const { $ref, ...rest } = schema
  const beside = Object.keys(rest).filter((keyword) => !named.includes(keyword))
  return $ref === undefined || beside.length === 0 ? schema : { ...rest, anyOf: [{ $ref }] }
}

/** Whether each variant has a field that is another constant in each: then no value fits two of them. */
function isDiscriminated(variants: JsonValue): boolean {
  const tables = listOf(variants).map((variant) => {
    const { properties, required } = isRecord(variant) ? variant : {}
    return isRecord(properties) && Array.isArray(required) ? { properties, required } : undefined
  })
  const [first] = tables
  if (first === undefined) return false
  return Object.keys(first.properties).some((name) => {
    const values = tables.map((table) =>
      table?.required.includes(name) === true ? fixedValues(table.properties[name]) : [],
    )
    const all = values.flat().map((value) => JSON.stringify(value))
    return values.every(({ length }) => length > 0) && new Set(all).size === all.length
  })
}

function fixedValues(schema: unknown): readonly JsonValue[] {
  if (!isRecord(schema)) return []
  if ('const' in schema) return [schema['const'] as JsonValue]
  return Array.isArray(schema['enum']) ? (schema['enum'] as readonly JsonValue[]) : []
}

/** The one type of all fixed values. */
function typeOfValues(schema: JsonSchema): string | undefined {
  const types = new Set(fixedValues(schema).map((value) => (value === null ? 'null' : typeof value)))
  const [type] = types
  return types.size === 1 && type !== undefined && type !== 'object' ? type : undefined
}

/** A list of constraints on a value whose shape stands elsewhere: two patterns, as zod writes them. */
function isOfConstraints(part: JsonValue): boolean {
  return isRecord(part) && !shapes.some((keyword) => keyword in part)
}

/** Every name of a field is a text. */
function isImplied(keyword: string, value: JsonValue): boolean {
  return keyword === 'propertyNames' && isRecord(value) && Object.keys(value).join() === 'type'
}

function isAnnotation(keyword: string): boolean {
  return keyword === 'default' || keyword === 'title'
}

function isOfType(schema: JsonSchema, type: string): boolean {
  return listOf(schema['type']).includes(type)
}

function noted(schema: JsonSchema, notes: readonly string[]): JsonSchema {
  const { description } = schema
  const words = notes.join(', ')
  return { ...schema, description: typeof description === 'string' ? `${description} (${words})` : words }
}

/** The fields of all tables; one with several schemas fits one of them. */
function united(tables: readonly Readonly<Record<string, JsonValue>>[]): Record<string, JsonValue> {
  const names = new Set(tables.flatMap((table) => Object.keys(table)))
  return Object.fromEntries(
    Array.from(names, (name) => {
      const schemas = distinct(
        tables.flatMap((table) => (Object.hasOwn(table, name) ? [table[name] ?? {}] : [])),
      )
      return [name, schemas.length === 1 ? (schemas[0] ?? {}) : { anyOf: schemas }]
    }),
  )
}

function distinct(values: readonly JsonValue[]): readonly JsonValue[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return []
  return isList(value) ? value : [value]
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function without(schema: JsonSchema, keywords: Iterable<string>): JsonSchema {
  const left = new Set(keywords)
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !left.has(keyword)))
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function place(path: string): string {
  return path === '' ? 'the schema' : `"${path}"`
}
