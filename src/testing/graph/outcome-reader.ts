/** Reads the outcomes that a test names: their fields, and a value of the shape that their source has. */
import { anything, aName } from '../../actors/strict/checks.ts'
import { anObject, isObject, optional, required, type Fields } from '../../actors/strict/read-options.ts'
import { checkEffectOutcome } from './effect-outcome.ts'
import { readResult } from './result-outcome.ts'
import type { Sources } from './sources.ts'
import type { Outcome } from './stimulus.ts'

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

/** The outcomes of a hook have the shape of that hook. */
function hookOf({ input }: Child): string {
  return isObject(input) ? String(Reflect.get(input, 'hook')) : ''
}
