/**
 * What servers take of a JSON Schema, by target: the keywords, formats and patterns that they know. These are the rules of
 * their public pages, and what they are known to refuse beyond them.
 */

import { once } from '../values/once.ts'

/**
 * `openai-strict`: Structured Outputs and strict tools, which other servers share. `openai`: tools and answers that are not
 * strict. `grammar`: servers that make a grammar of a schema, such as llama.cpp. `anthropic-strict`, `anthropic` and
 * `gemini`: these providers. `bare`: types and fields alone, for a server that has refused more.
 */
export type SchemaTarget =
  'openai-strict' | 'openai' | 'grammar' | 'anthropic-strict' | 'anthropic' | 'gemini' | 'bare'

export interface TargetRules {
  /** Formats of texts; `undefined`: any. */
  readonly formats?: ReadonlySet<string>
  readonly takesPattern: (pattern: string) => boolean
  /** Keywords that are not sent. What they demand is left to our own check. */
  readonly unsent: ReadonlySet<string>
  /** Keywords that change the shape so much that nothing is sent without them: such a schema is refused. */
  readonly refused: ReadonlySet<string>
  /** Each object is closed and has all of its fields; each value has a type. */
  readonly isStrict: boolean
  /** `combined`: an item fits one of the positions; `kept`: as a list of positions, and of nothing more. */
  readonly tuples: 'any' | 'combined' | 'kept'
  /** A list must have a schema of its items. */
  readonly needsItems: boolean
  /** What the root may not have beside its type. */
  readonly rootless: ReadonlySet<string>
  /** A value of any type has the list of all types: nothing at all means an object. */
  readonly listsTypes: boolean
  /** A reference to the root goes to a definition. */
  readonly definesRoot: boolean
  /** One value is a list of one. */
  readonly listsConst: boolean
}

const none: ReadonlySet<string> = /* @__PURE__ */ new Set()
const compositions = ['anyOf', 'oneOf', 'allOf']

/** They describe, and constrain nothing. */
export const annotations: ReadonlySet<string> = /* @__PURE__ */ new Set(
  (
    '$schema $id id $comment $anchor $vocabulary examples example readOnly writeOnly deprecated contentEncoding ' +
    'contentMediaType contentSchema discriminator'
  ).split(' '),
)

const conditions = ['if', 'then', 'else', 'not', 'dependencies', 'dependentRequired', 'dependentSchemas']
const unevaluated = ['unevaluatedItems', 'unevaluatedProperties']
const sizes = ['minLength', 'maxLength', 'minProperties', 'maxProperties']
const ofLists = ['contains', 'minContains', 'maxContains', 'uniqueItems']
const exclusive = ['exclusiveMinimum', 'exclusiveMaximum']
const ofNumbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const names = ['propertyNames', 'patternProperties']

const nine = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']

const any: TargetRules = {
  takesPattern: isRegular,
  unsent: none,
  refused: none,
  isStrict: false,
  tuples: 'any',
  needsItems: false,
  rootless: none,
  listsTypes: false,
  definesRoot: false,
  listsConst: false,
}

export const targets = once((): Readonly<Record<SchemaTarget, TargetRules>> => ({
  'openai-strict': {
    ...any,
    formats: new Set(nine),
    unsent: new Set(['default', 'propertyNames', ...sizes, ...ofLists, ...unevaluated]),
    refused: new Set([...conditions, 'allOf', 'patternProperties', 'prefixItems']),
    isStrict: true,
    rootless: new Set([...compositions, 'enum']),
  },
  openai: {
    ...any,
    formats: new Set(nine),
    unsent: new Set(['propertyNames', ...unevaluated]),
    tuples: 'combined',
    needsItems: true,
    rootless: new Set([...compositions, 'enum', 'not']),
  },
  grammar: {
    ...any,
    formats: new Set(nine),
    takesPattern: isOfGrammar,
    unsent: new Set([...names, ...conditions, ...unevaluated]),
    tuples: 'kept',
    rootless: new Set(compositions),
    listsTypes: true,
    definesRoot: true,
  },
  'anthropic-strict': {
    ...any,
    formats: new Set([...nine, 'uri']),
    unsent: new Set(['propertyNames', 'maxItems', ...sizes, ...ofNumbers, ...ofLists, ...unevaluated]),
    refused: new Set([...conditions, 'patternProperties', 'prefixItems']),
    isStrict: true,
    rootless: new Set(compositions),
  },
  anthropic: { ...any, takesPattern: () => true, rootless: new Set(compositions) },
  gemini: {
    ...any,
    formats: new Set(['date-time']),
    unsent: new Set([
      'default',
      'allOf',
      'multipleOf',
      ...exclusive,
      ...names,
      ...conditions,
      ...ofLists,
      ...unevaluated,
    ]),
    tuples: 'combined',
    needsItems: true,
    listsConst: true,
  },
  bare: {
    ...any,
    formats: none,
    takesPattern: () => false,
    unsent: new Set([
      'default',
      'allOf',
      'title',
      'minItems',
      'maxItems',
      ...names,
      ...conditions,
      ...unevaluated,
      ...sizes,
      ...ofLists,
      ...ofNumbers,
    ]),
    tuples: 'combined',
    needsItems: true,
    rootless: new Set([...compositions, 'enum']),
    listsTypes: true,
    definesRoot: true,
  },
}))

/**
 * Engines that run in linear time have no look-arounds, no back references and no word boundaries; and `[^]` and `\cX` are
 * of JavaScript alone.
 */
function isRegular(pattern: string): boolean {
  return !/\(\?<?[=!]|\\[1-9bBck]|\[\^?\]/.test(withoutEscapes(pattern))
}

/**
 * llama.cpp reads a whole pattern, `^…$`, of letters, classes, groups and repetitions. It knows no class by a letter (`\d`),
 * and its rules have no words for a lazy repetition or an anchor within.
 */
function isOfGrammar(pattern: string): boolean {
  if (!/^\^[^^$]*\$$/.test(withoutEscapes(pattern).replaceAll('[^', '['))) return false
  return !/\\[A-Za-z0-9]|\(\?(?!:)|[*+?}][?+]/.test(withoutEscapes(pattern))
}

/** Without the characters that stand for themselves: `\\(` is no group. */
function withoutEscapes(pattern: string): string {
  return pattern.replaceAll(/\\[^A-Za-z0-9]/g, '')
}
