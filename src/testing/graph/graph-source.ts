/** A machine that is ready to be searched: its children are stubbed, and its options are checked against it. */
import type { AnyStateMachine } from 'xstate'
import {
  aFunction,
  aName,
  either,
  is,
  listOf,
  positiveInteger,
  recordOf,
} from '../../actors/strict/checks.ts'
import { unknownKeyOf, unknownKeyText } from '../../actors/strict/known-keys.ts'
import { anObject, isObject, optional, required, type Fields } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { GraphOptions } from './graph-options.ts'
import { OutcomeReader, readOutcome } from './outcome-reader.ts'
import { sourcesOf, type Sources } from './sources.ts'
import type { ExternalEvent } from './stimulus.ts'
import { stubChildren } from './stub-children.ts'
import { edgesOf, graphOf } from '../chart/graph-of.ts'

export interface GraphSource {
  /** Stubbed: all its children are effects. */
  readonly machine: AnyStateMachine
  readonly sources: Sources
  readonly options: GraphOptions
  readonly outcomes: OutcomeReader
  readonly events: HeardEvents
}

/** The events that a machine hears: those that a state has a transition for. */
class HeardEvents {
  readonly #descriptors: readonly string[]
  readonly #heard = new Set<string>()

  constructor(machine: AnyStateMachine) {
    const labels = edgesOf(graphOf(machine)).map(({ label }) => label.text)
    this.#descriptors = [...new Set(labels)].filter((label) => label !== '')
  }

  /** Throws a `ConfigurationError` for an event that no state hears. */
  check({ name, event: { type } }: ExternalEvent): void {
    if (this.#heard.has(type)) return
    if (!this.#descriptors.some((descriptor) => isHeardBy(type, descriptor))) {
      throw new ConfigurationError(
        `No state hears the event "${name}": ${unknownKeyText(type, this.#descriptors, 'event')}`,
      )
    }
    this.#heard.add(type)
  }
}

/** A descriptor may be a wildcard: `*`, or `budget.*`, which hears `budget` too. */
function isHeardBy(type: string, descriptor: string): boolean {
  if (descriptor === '*' || descriptor === type) return true
  const prefix = descriptor.endsWith('.*') ? descriptor.slice(0, -2) : undefined
  return prefix !== undefined && (type === prefix || type.startsWith(`${prefix}.`))
}

const eventFields: Fields<ExternalEvent> = {
  name: required(aName),
  event: required(is('an event ({ type })', isObject)),
}
const readEvent = anObject<ExternalEvent>(eventFields, { word: 'field' })

/** Checks outcomes and returns them as they are: an outcome may have no value. */
function readOutcomes(given: unknown, where: string): unknown {
  listOf(readOutcome)(given, where)
  return given
}

export const graphFields: Fields<GraphOptions> = {
  outcomes: required(
    recordOf(either(Array.isArray, readOutcomes, aFunction), 'an object of outcomes by source'),
  ),
  events: optional(either(Array.isArray, listOf(readEvent), aFunction)),
  interchangeable: optional(listOf(aName)),
  stateKey: optional(aFunction),
  limit: optional(positiveInteger),
}

/**
 * `options` are read. Throws a `ConfigurationError` for a source that the machine does not have, and for an event that no
 * state hears.
 */
export function graphSource(machine: AnyStateMachine, options: GraphOptions, where: string): GraphSource {
  const sources = sourcesOf(machine)
  const names = [...sources.keys()]
  const named = { outcomes: Object.keys(options.outcomes), interchangeable: options.interchangeable ?? [] }
  for (const [option, given] of Object.entries(named)) {
    const unknown = unknownKeyOf(Object.fromEntries(given.map((name) => [name, true])), names)
    if (unknown !== undefined)
      throw new ConfigurationError(`${where}: ${option}: ${unknownKeyText(unknown, names, 'source')}`)
  }
  const stubbed = stubChildren(machine)
  const events = new HeardEvents(machine)
  if (typeof options.events !== 'function') for (const event of options.events ?? []) events.check(event)
  return { machine: stubbed, sources, options, outcomes: new OutcomeReader(sources), events }
}
