/** The approvals and suspensions of one run: which are open, and why an answer is refused. */
import { SignalError } from '../errors.ts'
import type { AwaitedSignal } from '../machines/events.ts'
import type { Ticket } from './ticket.ts'

export class SignalDesk {
  readonly #open = new Map<string, Ticket<'signal'>>()
  readonly #answered = new Set<string>()
  readonly #expired = new Set<string>()
  #isClosed = false

  get size(): number {
    return this.#open.size
  }

  open(ticket: Ticket<'signal'>): void {
    const { id } = ticket.request.input
    this.#open.set(id, ticket)
    this.#answered.delete(id) // a tool may suspend again
  }

  /** Takes an answer for the open signal `id`, once. Throws a `SignalError` and changes nothing otherwise. */
  claim(id: string, verb: 'approve' | 'deny' | 'resume'): Ticket<'signal'> {
    const ticket = this.#open.get(id)
    if (this.#answered.has(id)) {
      throw new SignalError('SIGNAL_ALREADY_ANSWERED', id, `Cannot ${verb} "${id}": it was answered before.`)
    }
    if (this.#expired.has(id) || (this.#isClosed && ticket !== undefined)) {
      throw new SignalError('SIGNAL_TOO_LATE', id, `Cannot ${verb} "${id}": its call has ended.`)
    }
    if (ticket === undefined) {
      const open = [...this.#open.keys()].join(', ') || 'nothing'
      throw new SignalError('UNKNOWN_SIGNAL', id, `Cannot ${verb} "${id}": the run waits for ${open}.`)
    }
    const expected = ticket.request.input.type === 'approval' ? 'approve' : 'resume'
    if (verb !== 'deny' && verb !== expected) {
      throw new SignalError('SIGNAL_TYPE_MISMATCH', id, `Cannot ${verb} "${id}": use ${expected} or deny.`)
    }
    this.#answered.add(id)
    return ticket
  }

  /** An answer, or a cancel, is on its way to the run. */
  get isAnswering(): boolean {
    return this.#isClosed || [...this.#open.keys()].some((id) => this.#answered.has(id))
  }

  settled(ticket: Ticket<'signal'>): void {
    const { id } = ticket.request.input
    if (this.#open.get(id) !== ticket) return
    this.#open.delete(id)
    this.#answered.add(id)
  }

  expired(ticket: Ticket<'signal'>): void {
    const { id } = ticket.request.input
    if (this.#open.get(id) !== ticket) return
    this.#open.delete(id)
    if (!this.#answered.has(id)) this.#expired.add(id)
  }

  /** The run is being cancelled or has ended: answers come too late. */
  close(): void {
    this.#isClosed = true
  }

  awaiting(): AwaitedSignal[] {
    return Array.from(this.#open.values(), ({ request: { input } }) => ({
      toolCallId: input.id,
      type: input.type,
      agent: input.agent,
      toolName: input.toolName,
      args: input.args,
      ...(input.payload === undefined ? {} : { payload: input.payload }),
    }))
  }
}
