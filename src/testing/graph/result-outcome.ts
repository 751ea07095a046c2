/** The outcome of an agent in a machine of the application: the result of a run, of which a test names what it is about. */
import { aName, anything, aText, is, listOf, oneOf } from '../../actors/strict/checks.ts'
import { anObject, isObject, optional, required, type Field } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'

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
export function readResult(given: unknown, where: string): object {
  if (!isObject(given)) throw new ConfigurationError(`${where} must be the result of a run ({ outcome, … }).`)
  const fields: Readonly<Record<string, Field>> = { outcome, ...common, ...fieldsOf(given) }
  return { ...empty, ...anObject<object>(fields, { word: 'field' })(given, where) }
}

function fieldsOf(given: object): Readonly<Record<string, Field>> {
  const name: unknown = Reflect.get(given, 'outcome')
  return typeof name === 'string' && Object.hasOwn(ofOutcome, name) ? (ofOutcome[name] ?? {}) : {}
}
