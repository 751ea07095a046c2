/**
 * The world outside of the runs: every execution of a tool or a model is a line in one file, in the order in which
 * they began, whichever process they were of. What a journal says is held against it.
 */
import { appendFileSync } from 'node:fs'
import { linesOf } from '../support/lines.ts'

export interface Execution {
  /** Names this one execution. It stands in the outcome, and so in the journal. */
  readonly id: string
  readonly pid: number
  readonly kind: 'model' | 'tool'
  readonly runId: string
  /** What is executed, named without the key: the tool call, or the turn of an agent. */
  readonly call: string
  readonly idempotencyKey: string
  /** Of this call in this process, from 1. */
  readonly attempt: number
}

export class EffectLog {
  readonly #file: string
  readonly #attempts = new Map<string, number>()
  #count = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Notes that an execution begins, in one write, so that a kill leaves it whole or not at all. */
  begin(execution: Pick<Execution, 'kind' | 'call' | 'idempotencyKey'>): string {
    const { pid } = process
    const { idempotencyKey } = execution
    const id = `${pid}-${(this.#count += 1)}`
    const attempt = (this.#attempts.get(idempotencyKey) ?? 0) + 1
    this.#attempts.set(idempotencyKey, attempt)
    const runId = idempotencyKey.slice(0, idempotencyKey.indexOf('/'))
    const line: Execution = { id, pid, runId, attempt, ...execution }
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
    return id
  }

  read(): Execution[] {
    return linesOf(this.#file).map((line) => JSON.parse(line) as Execution)
  }
}
