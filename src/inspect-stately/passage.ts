/** Lets messages through to the inspector, in their order: those that `filter` selects, as `sanitize` makes them. */
import type { StatelyInspectionEvent } from '@statelyai/inspect'
import { isRecord } from '../actors/values/json.ts'
import { askUser, yesOrNo, type Expected } from '../runtime/user-function.ts'
import type { ReportFailure } from './report-once.ts'
import { unsent } from './transport.ts'

const aMessage: Expected<StatelyInspectionEvent> = {
  words: 'a message',
  fits: (answer): answer is StatelyInspectionEvent => isRecord(answer) && typeof answer['type'] === 'string',
}

/** The functions of the user that guard what an inspector is sent. */
interface Gates {
  readonly filter?: (event: StatelyInspectionEvent) => boolean | Promise<boolean>
  readonly sanitize?: (
    event: StatelyInspectionEvent,
  ) => StatelyInspectionEvent | Promise<StatelyInspectionEvent>
}

export class Passage {
  readonly #options: Gates
  readonly #send: (message: StatelyInspectionEvent) => void
  readonly #report: ReportFailure
  #passed: Promise<void> = Promise.resolve()

  constructor(options: Gates, send: (message: StatelyInspectionEvent) => void, report: ReportFailure) {
    this.#options = options
    this.#send = send
    this.#report = report
  }

  /** Resolves once all messages so far have passed, or were held back. */
  get passed(): Promise<void> {
    return this.#passed
  }

  /** A message waits for those before it; the functions are asked at once. */
  take(message: StatelyInspectionEvent): void {
    const judged = this.#judged(message)
    const before = this.#passed
    this.#passed = this.#pass(before, judged)
  }

  async #pass(before: Promise<void>, judged: Promise<StatelyInspectionEvent | undefined>): Promise<void> {
    await before
    const message = await judged
    if (message === undefined) return
    try {
      this.#send(message)
    } catch (error) {
      this.#report(unsent, error)
    }
  }

  /** `undefined`: it is held back, also where a function fails. */
  async #judged(message: StatelyInspectionEvent): Promise<StatelyInspectionEvent | undefined> {
    const { filter, sanitize } = this.#options
    try {
      if (filter !== undefined && !(await askUser('filter', () => filter(message), yesOrNo))) return undefined
    } catch (error) {
      this.#report('The filter of the inspector failed', error)
      return undefined
    }
    try {
      return sanitize === undefined ? message : await askUser('sanitize', () => sanitize(message), aMessage)
    } catch (error) {
      this.#report('The sanitize of the inspector failed', error)
      return undefined
    }
  }
}
