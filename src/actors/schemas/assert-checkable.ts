/**
 * Refuses a JSON Schema that the validator would not check in full. The arguments of a model are untrusted, so a keyword
 * that is passed over in silence is a hole: it is an error where the schema is given.
 */
import { ConfigurationError } from '../../errors.ts'
import { isRecord } from '../values/json.ts'

type Node = Readonly<Record<string, unknown>>

/** Keywords that the validator does not know. */
const unsupported = /* @__PURE__ */ [
  ['if', 'then', 'else', 'dependencies', 'dependentRequired', 'dependentSchemas'],
  ['unevaluatedItems', 'unevaluatedProperties', '$dynamicRef', '$recursiveRef'],
].flat()

/** Keywords that constrain the values of one type alone. */
const constraints = /* @__PURE__ */ [
  ['minLength', 'maxLength', 'pattern'],
  ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames'],
  ['minProperties', 'maxProperties', 'items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems'],
  ['uniqueItems', 'contains', 'minContains', 'maxContains'],
].flat()

const counts = /* @__PURE__ */ [
  ['minLength', 'maxLength', 'minProperties', 'maxProperties'],
  ['minItems', 'maxItems', 'minContains', 'maxContains'],
].flat()
const numbers = ['minimum', 'maximum', 'multipleOf']
const compositions = ['anyOf', 'oneOf', 'allOf']

/** Throws a `ConfigurationError` that names the place in the schema. */
export function assertCheckable(root: Node, where: string): void {
  visit(root, '')

  function visit(given: unknown, at: string): void {
    if (typeof given === 'boolean') return
    if (!isRecord(given)) throw fault(at, 'a schema must be an object, true or false')
    assertNode(given, at)
    for (const [path, part] of partsOf(given)) visit(part, at === '' ? path : `${at}.${path}`)
  }

  function assertNode(node: Node, at: string): void {
    const has = (keyword: string): boolean => node[keyword] !== undefined
    const unknown = unsupported.find(has)
    if (unknown !== undefined) throw fault(at, `"${unknown}" is not supported`)
    if (has('not') && JSON.stringify(node['not']) !== '{}') throw fault(at, '"not" is not supported')
    const wrong =
      counts.find((name) => has(name) && !isCount(node[name])) ??
      numbers.find((name) => has(name) && typeof node[name] !== 'number')
    if (wrong !== undefined) throw fault(at, `"${wrong}" must be a number`)
    const constraint = constraints.find(has)
    const composed = compositions.filter(has)
    const fixed = ['enum', 'const'].find(has)
    if (has('$ref')) {
      const { $ref } = node
      if (typeof $ref !== 'string' || !leadsToDefinition($ref)) {
        throw fault(
          at,
          `"$ref" may lead to the schema itself or to one of its definitions: ${JSON.stringify($ref)} does not`,
        )
      }
      const beside = constraint ?? composed[0] ?? fixed ?? (has('type') ? 'type' : undefined)
      if (beside !== undefined) throw fault(at, `"${beside}" beside "$ref" is not checked`)
    }
    if (fixed !== undefined) {
      if (constraint !== undefined) throw fault(at, `"${constraint}" beside "${fixed}" is not checked`)
      if (!fixedValues(node).every(isPlain)) {
        throw fault(at, `"${fixed}" may hold texts, numbers, true, false and null alone`)
      }
    }
    if (constraint !== undefined && !has('type')) {
      throw fault(at, `state the "type": without it "${constraint}" is not checked`)
    }
    if (composed.length > 1 && !has('type')) {
      throw fault(at, `state the "type": without it only one of ${composed.join(', ')} is checked`)
    }
    const bound = ['minItems', 'maxItems'].find(has)
    if (bound !== undefined && !has('items') && !has('prefixItems')) {
      throw fault(at, `state the "items" ({} for any): without them "${bound}" is not checked`)
    }
    if (has('minItems') && !positions(node).every(isTyped)) {
      throw fault(at, 'state the "type" of each position: without it "minItems" is not checked')
    }
    const unicode = patternsOf(node).find((pattern) => unicodeSyntax.test(pattern))
    if (unicode !== undefined)
      throw fault(at, `the pattern "${unicode}" needs the Unicode mode, which is not supported`)
    if (has('required')) assertRequired(node, at)
    if (has('patternProperties') && isRecord(node['additionalProperties'])) {
      throw fault(at, 'a schema in "additionalProperties" beside "patternProperties" is not checked')
    }
    if (isIntersection(node) && isClosed(node, new Set())) {
      throw fault(at, '"additionalProperties": false within a combination of schemas is not checked')
    }
  }

  function assertRequired(node: Node, at: string): void {
    const { required, properties = {} } = node
    if (!isListOfTexts(required)) throw fault(at, '"required" must be a list of names')
    const missing = required.find((name) => !isRecord(properties) || !Object.hasOwn(properties, name))
    if (missing !== undefined) {
      throw fault(at, `"required" names "${missing}", which is not among the properties`)
    }
  }

  /** An object of the schema, or of one that it is combined with, accepts no further fields. */
  function isClosed(given: unknown, seen: Set<string>): boolean {
    if (!isRecord(given)) return false
    if (given['additionalProperties'] === false) return true
    const { $ref } = given
    if (typeof $ref === 'string' && !seen.has($ref)) return isClosed(target($ref), seen.add($ref))
    return compositions.some((name) => {
      const members = given[name]
      return Array.isArray(members) && members.some((member) => isClosed(member, seen))
    })
  }

  function leadsToDefinition(reference: string): boolean {
    return reference === '#' || (reference.split('/').length === 3 && target(reference) !== undefined)
  }

  /** What a reference within the document leads to: the document itself, or one of its definitions. */
  function target(reference: string): unknown {
    if (reference === '#') return root
    const [, table = '', name = ''] = reference.split('/')
    const definitions = root[table]
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    return isRecord(definitions) ? definitions[key] : undefined
  }

  function fault(at: string, problem: string): ConfigurationError {
    return new ConfigurationError(`${where}${at === '' ? '' : `, at ${at}`}: ${problem}.`)
  }
}

/** A value must fit several schemas at once. */
function isIntersection(node: Node): boolean {
  if (Array.isArray(node['allOf']) && node['allOf'].length > 1) return true
  return node['type'] !== undefined && compositions.some((name) => node[name] !== undefined)
}

/** The schemas within a schema, by their places. */
function partsOf(node: Node): (readonly [path: string, part: unknown])[] {
  const single = ['additionalProperties', 'additionalItems', 'contains'].filter((name) => name in node)
  const lists = ['prefixItems', ...compositions, ...(Array.isArray(node['items']) ? ['items'] : [])]
  const tables = ['properties', 'patternProperties', '$defs', 'definitions']
  const { items, propertyNames } = node
  return [
    ...single.map((name) => [name, node[name]] as const),
    ...(items === undefined || Array.isArray(items) ? [] : [['items', items] as const]),
    // The names of fields are texts: their type need not be stated.
    ...(propertyNames === undefined
      ? []
      : [
          [
            'propertyNames',
            isRecord(propertyNames) ? { type: 'string', ...propertyNames } : propertyNames,
          ] as const,
        ]),
    ...lists.flatMap((name) => {
      const members = node[name]
      return Array.isArray(members) ? members.map((part, index) => [`${name}[${index}]`, part] as const) : []
    }),
    ...tables.flatMap((name) => {
      const table = node[name]
      return isRecord(table)
        ? Object.entries(table).map(([key, part]) => [`${name}.${key}`, part] as const)
        : []
    }),
  ]
}

/** The schemas of a tuple, by position. */
function positions({ prefixItems, items }: Node): readonly unknown[] {
  if (Array.isArray(prefixItems)) return prefixItems
  return Array.isArray(items) ? items : []
}

function isTyped(schema: unknown): boolean {
  return isRecord(schema) && ['type', 'enum', 'const'].some((keyword) => schema[keyword] !== undefined)
}

/** Property classes and code points beyond four digits are read in the Unicode mode alone. */
const unicodeSyntax = /\\(?:[pP]|u)\{/

function patternsOf({ pattern, patternProperties }: Node): readonly string[] {
  const names = isRecord(patternProperties) ? Object.keys(patternProperties) : []
  return typeof pattern === 'string' ? [pattern, ...names] : names
}

function fixedValues(node: Node): readonly unknown[] {
  const { enum: values, const: value } = node
  return [...(Array.isArray(values) ? (values as unknown[]) : []), ...(value === undefined ? [] : [value])]
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isPlain(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
