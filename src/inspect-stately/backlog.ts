/** Messages that are kept for later readers. Of too many the oldest are dropped, those of new actors last. */
import type { StatelyInspectionEvent } from '@statelyai/inspect'
import type { ReportFailure } from './report-once.ts'

export interface Written {
  /** From 1. */
  readonly number: number
  readonly text: string
  readonly isActor: boolean
}

/** In characters. */
const defaultLimit = 2 ** 24

export class Backlog {
  readonly #limit: number
  readonly #report: ReportFailure
  #messages: Written[] = []
  #size = 0
  #count = 0

  constructor(report: ReportFailure, limit = defaultLimit) {
    this.#report = report
    this.#limit = limit
  }

  push(message: StatelyInspectionEvent): Written {
    const text = JSON.stringify(message)
    const written = { number: ++this.#count, text, isActor: message.type === '@xstate.actor' }
    this.#messages.push(written)
    this.#size += text.length
    if (this.#size > this.#limit) this.#shrink()
    return written
  }

  after(number: number): Written[] {
    return this.#messages.filter((message) => message.number > number)
  }

  #shrink(): void {
    this.#drop((message) => !message.isActor)
    if (this.#size > this.#limit) this.#drop(() => true)
    this.#report('There are too many messages to keep, the oldest are dropped')
  }

  /** Drops the oldest messages that may go, until a quarter is free, so that it is seldom needed. */
  #drop(mayGo: (message: Written) => boolean): void {
    this.#messages = this.#messages.filter((message) => {
      if (this.#size <= this.#limit * 0.75 || !mayGo(message)) return true
      this.#size -= message.text.length
      return false
    })
  }
}
