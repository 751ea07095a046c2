/** The events that a machine hears: those that a state has a transition for. */
import type { AnyStateMachine } from 'xstate'
import { unknownKeyText } from '../../actors/strict/known-keys.ts'
import { ConfigurationError } from '../../errors.ts'
import { edgesOf, graphOf } from '../chart/graph-of.ts'
import type { ExternalEvent } from './stimulus.ts'

export class HeardEvents {
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
