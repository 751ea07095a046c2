/**
 * Which calls of tools had begun when their process ended. The start of a call is put on record before it is begun. Calls
 * of one step are put on record together and then begun one after the other, so of those that nothing follows only the
 * first has begun for certain. Calls that were interrupted before are put on record one at a time, each when the one before
 * has begun: their records are certain.
 */
import { isKind, type Ticket } from './pending-effect.ts'

export class ToolStarts {
  /** Put on record, with nothing after them but their like. */
  #last: Ticket[] = []
  /** The key of a call that is put on record alone. */
  #alone: string | undefined
  /** Those that wait for it to begin. */
  #waiting: Ticket[] = []

  /** Whether the start of the call is put on record now; if not, `released` gives it later. */
  admits(ticket: Ticket): boolean {
    if (!isAlone(ticket)) return true
    if (this.#alone !== undefined) {
      this.#waiting.push(ticket)
      return false
    }
    this.#alone = ticket.key
    return true
  }

  /** The call with this key has begun, or never will. Gives the one whose start is put on record next. */
  released(key: string): Ticket | undefined {
    if (this.#alone !== key) return undefined
    const next = this.#waiting.findIndex((ticket) => ticket.state === 'requested')
    const ticket = this.#waiting[next]
    this.#waiting = ticket === undefined ? [] : this.#waiting.slice(next + 1)
    this.#alone = ticket?.key
    return ticket
  }

  recorded(ticket: Ticket): void {
    this.#last.push(ticket)
  }

  /** Something else is on record. */
  passed(): void {
    if (this.#last.length > 0) this.#last = []
  }

  /** Those that may not have begun. */
  get uncertain(): ReadonlySet<Ticket> {
    return new Set(this.#last.slice(1).filter((ticket) => !isAlone(ticket)))
  }
}

/** An attempt before was interrupted. */
function isAlone(ticket: Ticket): boolean {
  return isKind(ticket, 'tool') && ticket.request.input.isAgain === true
}
