/** The census of the store in memory. */
import { overdue, questionsByAge, type Census, type CensusOptions } from '../census.ts'
import { lapsesOf, statusOf } from '../run-summary.ts'
import { lapsesUntilLeft } from '../store.ts'
import { lapseFacts, updatedAt, type StoredRun } from './stored-run.ts'

/** Counts things, and keeps the first time since which one of them is overdue. */
class Count {
  #count = 0
  #since: number | undefined

  add(since: number): void {
    this.#count++
    this.#since = Math.min(since, this.#since ?? since)
  }

  get value(): ReturnType<typeof overdue> {
    return overdue(this.#count, this.#since)
  }
}

export function censusOf(runs: Iterable<StoredRun>, { now, settled = false }: CensusOptions): Census {
  const counts = { running: 0, suspended: 0, passivated: 0, leased: 0, left: 0, settled: 0 }
  const [unowned, alarms, questions] = [new Count(), new Count(), new Count()]
  const asked: number[] = []
  for (const run of runs) {
    if (run.outcome !== undefined) {
      counts.settled++
      continue
    }
    const { passivated, lease, entries, suspendedAt } = run
    const isPassivated = passivated !== undefined
    const { status } = statusOf({ isSettled: false, isPassivated, entries: entries.length, suspendedAt })
    counts[status === 'suspended' ? 'suspended' : 'running']++
    if (isPassivated) {
      counts.passivated++
      if (passivated.wakeAt !== undefined && passivated.wakeAt <= now) alarms.add(passivated.wakeAt)
    } else if (lease.expiresAt > now) counts.leased++
    else if (lapsesOf(lapseFacts(run)) >= lapsesUntilLeft) counts.left++
    else unowned.add(lease.expiresAt > 0 ? lease.expiresAt : updatedAt(run))
    for (const { question } of run.questions.values()) {
      questions.add(question.since)
      asked.push(question.since)
    }
  }
  const { settled: ended, ...unfinished } = counts
  return {
    ...unfinished,
    unowned: unowned.value,
    alarms: alarms.value,
    questions: { ...questions.value, byAge: questionsByAge(asked, now) },
    ...(settled ? { settled: ended } : {}),
  }
}
