/** The answers of the chart to messages of people, by the events that it emits. They follow from the journal alone. */
import { SignalError } from '../../../errors.ts'
import type { MachineEvent } from '../../../machines/contract/events.ts'
import { mostSayings, type SayRefusal } from '../../../machines/contract/sayings.ts'

export class TakenSayings {
  readonly #answers = new Map<string, 'taken' | SayRefusal>()

  /** Notes an event of the agent that holds the conversation. */
  noted(event: MachineEvent): void {
    if (event.type === 'said') this.#answers.set(event.payload.id, 'taken')
    else if (event.type === 'say-refused') this.#answers.set(event.payload.id, event.payload.code)
  }

  /** Notes a message to which the chart did not answer: it knows no messages, or has ended. */
  delivered(id: string, hasEnded: boolean): void {
    if (this.#answers.has(id)) return
    this.#answers.set(id, hasEnded ? 'SIGNAL_TOO_LATE' : 'SIGNAL_NOT_SUPPORTED')
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
  SIGNAL_TOO_MANY: `${mostSayings} messages wait already. The model reads them with its next request.`,
}
