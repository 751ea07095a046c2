/**
 * Which calls of tools had begun when their process ended. The start of a call is put on record before it is begun. Calls
 * of one step are put on record together and then begun one after the other, so of those that nothing follows only the
 * first has begun for certain. A call that was interrupted before is put on record alone: its record is certain.
 */
import { isKind, type Ticket } from './ticket.ts'

export class ToolStarts {
  /** Put on record, with nothing after them but their like. */
  #last: Ticket[] = []
  /** The key of a call that is put on record alone: no other such call is until it has begun. */
  #alone: string | undefined

  /** Whether the start of the call is put on record now; if not, it is asked for again later. */
  begins(ticket: Ticket): boolean {
    if (!isAlone(ticket)) return true
    if (this.#alone !== undefined) return false
    this.#alone = ticket.key
    return true
  }

  /** The start of the call with this key is on record; it may have been let go of meanwhile. */
  recorded(key: string, ticket: Ticket | undefined): void {
    if (this.#alone === key) this.#alone = undefined
    if (ticket !== undefined) this.#last.push(ticket)
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
