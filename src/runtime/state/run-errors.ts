/** The errors of a run and of all agents below it, derived from its journal: a replay lists the same errors. */
import { SparseSet } from '../../actors/values/sparse.ts'
import { agentAt, requesterOf } from '../../actors/actor-path.ts'
import { isRecord } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'
import type { RunError } from '../handle/result.ts'
import type { EffectSettled } from '../journal/journal.ts'

export class RunErrors {
  readonly #errors: RunError[] = []
  /**
   * Keys of the listed errors, by the path of each error and by the paths above it: there an equal error repeats it.
   */
  readonly #listed = new SparseSet<string>()

  /** In the order of the journal. */
  toArray(): RunError[] {
    return [...this.#errors]
  }

  settled({ key, kind, settlement: { error, value } }: EffectSettled): void {
    const errors = error === undefined ? errorsIn(kind, value) : [error]
    for (const one of errors) {
      const path = requesterOf(key)
      this.#add({ path, agent: agentAt(path), error: one, effect: { kind } })
    }
    // The outcome of a subagent that ran elsewhere lists its own errors.
    if (kind === 'agent') for (const one of listIn(value, 'errors')) this.#add(one as RunError)
  }

  /** Adds the errors in the payload of an event of the actor at `path`. */
  emitted(path: string, payload: object): void {
    const { error, hookError } = payload as { readonly error?: ErrorData; readonly hookError?: ErrorData }
    if (error !== undefined) this.found(path, error)
    if (hookError !== undefined) this.found(path, hookError)
  }

  /** Adds an error that a chart found or passes on. An error that repeats a listed one is left out. */
  found(path: string, error: ErrorData): void {
    if (this.#listed.has(keyOf(path, error))) return
    this.#add({ path, agent: agentAt(path), error })
  }

  #add(error: RunError): void {
    this.#errors.push(error)
    for (let end = error.path.length; end > 0; end = error.path.lastIndexOf('/', end - 1)) {
      this.#listed.add(keyOf(error.path.slice(0, end), error.error))
    }
  }
}

function keyOf(path: string, { code, message }: ErrorData): string {
  return `${path}\n${code}\n${message}`
}

/** Exceptions of processors are part of the outcome of the effect that called the processors. */
function errorsIn(kind: EffectSettled['kind'], outcome: unknown): readonly ErrorData[] {
  if (!isRecord(outcome)) return []
  if (kind === 'model') return listIn(outcome['screening'], 'failures') as ErrorData[]
  const failure = kind === 'hook' ? (outcome['failure'] as ErrorData | null | undefined) : undefined
  return failure == null ? [] : [failure]
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = isRecord(value) ? value[name] : undefined
  return Array.isArray(list) ? list : []
}
