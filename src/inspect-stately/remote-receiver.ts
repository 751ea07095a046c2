/**
 * A remote receiver, reached over WebSocket. Messages wait until it can take them; while it cannot be reached, it is
 * tried again at growing intervals.
 */
import type { StatelyInspectionEvent } from '@statelyai/inspect'
import { Backlog } from './backlog.ts'
import type { ReportFailure } from './report-once.ts'
import { connect, type Connection } from './connection.ts'
import { withinGrace, type Transport } from './transport.ts'

/** Milliseconds between two attempts. */
const pauses = { first: 500, longest: 30_000 }

export class RemoteReceiver implements Transport {
  readonly #url: string
  readonly #report: ReportFailure
  readonly #backlog: Backlog
  readonly #ended = Promise.withResolvers<void>()
  #callOff: () => void = () => undefined
  #connection: Connection | undefined
  /** Between two attempts. */
  #isWaiting = false
  #isStopping = false
  #pause = pauses.first

  constructor(url: string, report: ReportFailure) {
    this.#url = url
    this.#report = report
    this.#backlog = new Backlog(report)
    this.#connect()
  }

  send(message: StatelyInspectionEvent): void {
    this.#backlog.push(message)
    this.#flush()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#isWaiting) this.#ended.resolve()
    this.#flush()
    await withinGrace(this.#ended.promise)
    this.#connection?.destroy()
    this.#callOff()
  }

  #connect(): void {
    this.#isWaiting = false
    this.#callOff = connect(this.#url, {
      opened: (connection) => {
        this.#connection = connection
        this.#pause = pauses.first
        this.#flush()
      },
      drained: () => this.#flush(),
      closed: (error) => this.#closed(error),
    })
  }

  #flush(): void {
    while (this.#connection?.hasRoom === true) {
      const next = this.#backlog.shift()
      if (next === undefined) break
      this.#connection.send(next.text)
    }
    if (this.#isStopping && this.#backlog.isEmpty) this.#connection?.end()
  }

  #closed(error: Error | undefined): void {
    this.#connection = undefined
    if (error !== undefined) {
      const { protocol, host } = new URL(this.#url) // the rest may hold a secret
      this.#report(`The inspector at ${protocol}//${host} cannot be reached`, error)
    }
    if (this.#isStopping) {
      this.#ended.resolve()
      return
    }
    const timer = setTimeout(() => this.#connect(), this.#pause)
    timer.unref()
    this.#isWaiting = true
    this.#pause = Math.min(this.#pause * 2, pauses.longest)
    this.#callOff = () => clearTimeout(timer)
  }
}
