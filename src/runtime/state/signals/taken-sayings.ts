/** The answers of the chart to messages of people, by the events that it emits. They follow from the journal alone. */
import { SparseMap } from '../../../actors/values/sparse.ts'
import { SignalError } from '../../../errors.ts'
import type { MachineEvent } from '../../../machines/contract/events.ts'
import { mostSayings, type SayRefusal } from '../../../machines/contract/sayings.ts'

export class TakenSayings {
  readonly #answers = new SparseMap<string, 'taken' | SayRefusal>()
  #lastRefusal: SayRefusal | undefined
  #isStanding = false

  /** Notes an event of the agent that holds the conversation. */
  noted(event: MachineEvent): void {
    if (event.type === 'said') this.#answers.set(event.payload.id, 'taken')
    else if (event.type === 'say-refused') this.#answers.set(event.payload.id, event.payload.code)
  }

  /** Notes the delivery of a message. A chart that did not answer to it knows no messages, or has ended. */
  delivered(id: string, hasEnded: boolean): void {
    const answer = this.#answers.get(id) ?? (hasEnded ? 'SIGNAL_TOO_LATE' : 'SIGNAL_NOT_SUPPORTED')
    this.#answers.set(id, answer)
    this.#isStanding = answer !== 'taken'
    if (answer !== 'taken') this.#lastRefusal = answer
  }

  /** The run goes on: the next message may be taken. */
  wentOn(): void {
    this.#isStanding = false
  }

  /**
   * Throws the last refusal if the run has not gone on since: the chart would refuse any other message like that, and the
   * journal would grow by refusals alone.
   */
  assertMayAsk(id: string): void {
    if (this.#isStanding && this.#lastRefusal !== undefined) throw refusedSaying(id, this.#lastRefusal)
  }

  /** Whether a message with this id was delivered. */
  has(id: string): boolean {
    return this.#answers.has(id)
  }

  /** The error of a message that left the queue and is not on record: it was refused without an entry. */
  refusedUnrecorded(id: string): SignalError {
    return refusedSaying(id, this.#lastRefusal ?? 'SIGNAL_TOO_LATE')
  }

  /** Whether the message was delivered, and taken. Throws a `SignalError` where it was refused. */
  isTaken(id: string): boolean {
    const answer = this.#answers.get(id)
    if (answer === undefined || answer === 'taken') return answer === 'taken'
    throw refusedSaying(id, answer)
  }
}

export function refusedSaying(id: string, code: SayRefusal): SignalError {
  return new SignalError(code, id, `The message was not taken: ${reasons[code]}`)
}

const reasons: Readonly<Record<SayRefusal, string>> = {
  SIGNAL_TOO_LATE: 'the run is coming to its end, and calls its model no more.',
  SIGNAL_NOT_SUPPORTED: 'the pattern of the agent has no loop in which its model would read it.',
  SIGNAL_TRIPPED: 'an input processor has refused it.',
  SIGNAL_TOO_MANY: `${mostSayings} messages wait already. The model reads them with its next request.`,
}
