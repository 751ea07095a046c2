/** What must hold, by name, and what was found not to. */

export const checks = {
  fence: 'an append under an old lease is never kept',
  lease: 'a lease is granted when it is free, with the next token, for as long as a lease may last',
  owner: 'no effect starts in a process whose lease is known to be lost, or has run out by its own clock',
  recordedStart: 'a tool starts only when its start is on record and its outcome is not',
  settledAgain: 'no effect that has an outcome on record is performed again',
  interrupted: 'a call counts as interrupted only where it began under an earlier lease of its own run',
  denied: 'nothing that a person denied is performed',
  asked: 'nothing that a person was asked about is performed without an answer',
  calledOnce: 'a call that ends within the deadline of a draining process is made once',
  driftTold: 'a journal names the edits between two programs, and only these',
  goesOn: 'an edited run goes on, but for edits that take away what was at work',
  unedited: 'a replay by the program that the journal named last differs in nothing',
  apart: 'a fork writes into no thread and no note but its own',
  asAtEntry: 'the thread of a fork begins as it was at its entry',
  nestedOnce: 'a call begins one run under one name',
  nestedEnd: 'a call is told the end that its run has on record',
  nestedCancel: 'a nested run is cancelled by people or with its call, and by no close',
  oneSettlement: 'an effect settles once, a timer fires once',
  oneEnd: 'a run ends once',
  afterEnd: 'nothing but late outcomes follows the end of a run',
  oneAnswer: 'one answer is accepted for one question, and it is the one on record',
  toldStart: 'a run whose start resolved is on record',
  toldAnswer: 'an answer that was accepted is on record, one that was refused is not',
  toldCancel: 'a cancel that was accepted is on record',
  toldResult: 'a result that was given is on record',
  toldEvents: 'events that were seen are those of the journal',
  settles: 'whatever was handed out settles',
  oneOwner: 'no model is shown what another user has said in a thread',
  replay: 'a journal replays to the same result and events',
  performsNothing: 'a replay performs nothing',
  stuck: 'every run comes to its end when one process is healthy and people answer',
  unhandled: 'nobody gets an unhandled rejection',
} as const

export type CheckName = keyof typeof checks

export interface Finding {
  readonly check: CheckName
  readonly message: string
}

export class Findings {
  readonly #found: Finding[] = []
  readonly #note: (what: string) => void

  constructor(note: (what: string) => void) {
    this.#note = note
  }

  get all(): readonly Finding[] {
    return this.#found
  }

  add(check: CheckName, whole: string): void {
    const message = whole.length > 500 ? `${whole.slice(0, 500)} …` : whole
    this.#found.push({ check, message })
    this.#note(`${check}: ${message}`)
  }
}
