/** A bank, as banks are: it is slow to confirm a booking, and it books a key once, however often it is asked. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Request {
  readonly key: string
  readonly euros: number
  readonly receipt: string
  /** Nothing was booked: the key was known. */
  readonly isRepeated: boolean
}

export class Bank {
  readonly #file: string

  /** `file`: where it keeps what it was asked. */
  constructor(file: string) {
    this.#file = file
  }

  /** Books, then takes its time to say so. A request that is repeated is answered at once. */
  async charge(euros: number, key: string): Promise<string> {
    const earlier = this.requests().find((request) => request.key === key)
    const receipt = earlier?.receipt ?? `receipt ${this.requests().length + 1}`
    const request: Request = { key, euros, receipt, isRepeated: earlier !== undefined }
    appendFileSync(this.#file, `${JSON.stringify(request)}\n`)
    if (earlier === undefined) await sleep(60_000)
    return receipt
  }

  requests(): Request[] {
    if (!existsSync(this.#file)) return []
    // The worker may be writing: only a line that has its end is whole.
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line) as Request)
  }
}
