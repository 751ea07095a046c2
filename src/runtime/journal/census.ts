/** What a store holds, in numbers: no journal is read for it, and no name of a run, an agent or a resource is in it. */

/** Things that are overdue. */
export interface Overdue {
  readonly count: number
  /** Since when the first of them is: milliseconds since 1970. Absent: there is none. */
  readonly since?: number
}

/** The ages by which open questions are counted, in milliseconds: a minute, an hour and a day. */
export const questionAges = [60_000, 3_600_000, 86_400_000] as const

/** Open questions by their age: each counts once. */
export interface QuestionsByAge {
  readonly minute: number
  readonly hour: number
  readonly day: number
  readonly older: number
}

/** The unfinished runs of a store and their open questions, in numbers. */
export interface Census {
  /** Unfinished runs, in the terms of `RunSummary`. */
  readonly running: number
  readonly suspended: number
  /** Of the suspended: those that have left the memory of their process. */
  readonly passivated: number
  /** Unfinished runs whose lease has not expired: a process has each. */
  readonly leased: number
  /** Unfinished runs whose lease has expired, and that nobody took. Not those that are passivated or left. */
  readonly unowned: Overdue
  /** Unfinished runs that workers leave, since three have died with each. */
  readonly left: number
  /** Passivated runs whose `wakeAt` is over. */
  readonly alarms: Overdue
  /** Open questions. `since`: of the oldest. */
  readonly questions: Overdue & { readonly byAge: QuestionsByAge }
  /** Ended runs that the store still has; counted where it was asked for. */
  readonly settled?: number
}

/** What a census counts. */
export interface CensusOptions {
  /** Milliseconds since 1970: what is overdue, and how old a question is, follows from it. */
  readonly now: number
  /** Counts ended runs too: its cost grows with their number. Default: `false`. */
  readonly settled?: boolean
}

/** `since` where there is one. */
export function overdue(count: number, since: number | null | undefined): Overdue {
  return count === 0 || since == null ? { count } : { count, since }
}

/** Counts questions by their age. `times`: since when each is open. */
export function questionsByAge(times: readonly number[], now: number): QuestionsByAge {
  const [minute, hour, day] = questionAges
  const counts = { minute: 0, hour: 0, day: 0, older: 0 }
  const ageOf = (since: number): keyof QuestionsByAge =>
    since > now - minute ? 'minute' : since > now - hour ? 'hour' : since > now - day ? 'day' : 'older'
  for (const since of times) counts[ageOf(since)]++
  return counts
}
