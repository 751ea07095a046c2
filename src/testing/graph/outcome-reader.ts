/** Reads the outcomes that a test names: their fields, and a value of the shape that their source has. */
import { anything, aName, aText, is, listOf, oneOf } from '../../actors/strict/checks.ts'
import {
  anObject,
  isObject,
  optional,
  required,
  type Fields,
  type Field,
} from '../../actors/strict/read-options.ts'
import type { Sources } from './sources.ts'
import type { Outcome } from './stimulus.ts'
import { outcomeProblem, outcomeSchemaOf } from '../../actors/effects/effect-outcome.ts'
import type { EffectKind } from '../../actors/effects/effect-names.ts'
import { canonicalJson, type JsonValue } from '../../actors/values/json.ts'
import { ConfigurationError } from '../../errors.ts'

const fields: Fields<Outcome> = {
  name: required(aName),
  value: optional(anything),
  error: optional(anything),
}

export const readOutcome = anObject<Outcome>(fields, { word: 'field' })

interface Child {
  readonly src: string
  readonly input: unknown
}

export class OutcomeReader {
  readonly #sources: Sources
  /** Each outcome is read once for each source, or for each hook of one. */
  readonly #read = new Map<string, WeakMap<Outcome, Outcome>>()

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /** Throws a `ConfigurationError` for an outcome that the child cannot have. */
  read(child: Child, outcome: Outcome): Outcome {
    const key = `${child.src} ${hookOf(child)}`
    const known = this.#read.get(key) ?? new WeakMap<Outcome, Outcome>()
    this.#read.set(key, known)
    const read = known.get(outcome) ?? this.#check(child, outcome)
    known.set(outcome, read)
    return read
  }

  #check({ src, input }: Child, given: Outcome): Outcome {
    readOutcome(given, `outcomes.${src}`)
    if (given.error !== undefined) return given
    const where = `The value of the outcome "${given.name}" of "${src}"`
    const source = this.#sources.get(src)
    if (source?.isRun === true) return { name: given.name, value: readResult(given.value, where) }
    if (source?.effect !== undefined) checkEffectOutcome(source.effect, input, given.value, where)
    return given
  }
}

// The outcome of an agent in a machine of the application: the result of a run, of which a test names what it is
// about.

const anError = is('an error ({ name, code, message })', isObject)
const aList = listOf(anything)

const common = {
  runId: optional(aName),
  version: optional(aName),
  text: optional(aText),
  object: optional(anything),
  delegations: optional(aList),
  scores: optional(aList),
  steps: optional(aList),
  decisions: optional(aList),
  errors: optional(aList),
  handoffs: optional(aList),
  usage: optional(is('an object', isObject)),
  plan: optional(is('an object', isObject)),
  toolState: optional(aText),
  by: optional(aName),
}

const reason = required(aText)

/** By outcome, the fields that belong to it. */
const ofOutcome: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  completed: {},
  bailed: { by: required(aName), error: optional(anError) },
  exhausted: { reason, error: optional(anError) },
  stopped: { reason },
  tripped: { reason },
  failed: { error: required(anError) },
  cancelled: { reason },
}

const outcome = required(oneOf(...Object.keys(ofOutcome)))

const empty = {
  runId: 'run',
  text: '',
  delegations: [],
  scores: [],
  steps: [],
  errors: [],
  usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, byAgent: {} },
}

/** The whole result. Throws a `ConfigurationError` for a field that is unknown, wrong, or missing for its outcome. */
function readResult(given: unknown, where: string): object {
  if (!isObject(given)) throw new ConfigurationError(`${where} must be the result of a run ({ outcome, … }).`)
  const fields: Readonly<Record<string, Field>> = { outcome, ...common, ...fieldsOf(given) }
  return { ...empty, ...anObject<object>(fields, { word: 'field' })(given, where) }
}

function fieldsOf(given: object): Readonly<Record<string, Field>> {
  const name: unknown = Reflect.get(given, 'outcome')
  return typeof name === 'string' && Object.hasOwn(ofOutcome, name) ? (ofOutcome[name] ?? {}) : {}
}

/** Throws a `ConfigurationError` for a value that the effect cannot have: the schema would refuse or change it. */
function checkEffectOutcome(kind: EffectKind, input: unknown, value: unknown, where: string): void {
  const schema = outcomeSchemaOf(kind, input)
  if (schema === undefined) return
  const read = schema.safeParse(value)
  if (!read.success)
    throw new ConfigurationError(`${where} is no outcome of a ${kind}: ${outcomeProblem(read.error)}`)
  const [given, kept] = [value, read.data].map((one) => canonicalJson(one as JsonValue))
  if (given !== kept)
    throw new ConfigurationError(
      `${where} is no outcome of a ${kind}: it is read as ${kept}, and was ${given}.`,
    )
}

/** The outcomes of a hook have the shape of that hook. */
function hookOf({ input }: Child): string {
  return isObject(input) ? String(Reflect.get(input, 'hook')) : ''
}
