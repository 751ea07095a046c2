/** How a troupe is, in numbers: its runs and questions as the store has them, and its own process. No name is in them. */
import { aBoolean } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import type { Environment } from '../environment.ts'
import type { AppendTimes } from '../journal/append-times.ts'
import type { Census, Overdue, QuestionsByAge } from '../journal/census.ts'
import type { Store } from '../journal/store.ts'
import { missingPort } from '../missing-port.ts'
import type { TroupePhase } from '../troupe-phase.ts'

/** The options of `stats`. */
export interface StatsOptions {
  /** Counts ended runs too: the cost grows with their number. Default: `false`. */
  readonly settled?: boolean
}

/** Work that is overdue. */
export interface Lag {
  readonly count: number
  /** Milliseconds for which the first of it is overdue; 0 where nothing is. */
  readonly lag: number
}

/** Runs by their state. */
export interface RunCounts {
  /** Unfinished runs, as `status` of `RunSummary` has them. */
  readonly running: number
  readonly suspended: number
  /** Of the suspended: those that have left the memory of their process. Absent on Restate. */
  readonly passivated?: number
  /** Unfinished runs that some process has. Absent on Restate. */
  readonly leased?: number
  /** Unfinished runs that workers leave, since three have died with each. Absent on Restate. */
  readonly left?: number
  /** Ended runs, where they were asked for. */
  readonly settled?: number
}

/** Open questions in numbers. */
export interface QuestionCounts {
  readonly open: number
  /** The age of the oldest in milliseconds. Absent: none is open. */
  readonly oldest?: number
  /** Each counts once: younger than a minute, than an hour, than a day, and older. */
  readonly byAge: QuestionsByAge
}

/** Runs and questions in numbers, of all processes. */
export interface RunStats {
  /** When they were counted, milliseconds since 1970. */
  readonly at: number
  readonly runs: RunCounts
  readonly questions: QuestionCounts
  /** Unfinished runs whose process has gone, and that no other took. Absent on Restate. */
  readonly recovery?: Lag
  /** Timers of runs that left memory, which are due. Absent on Restate. */
  readonly alarms?: Lag
}

/** What a troupe does in its own process. */
export interface ProcessStats {
  /** Runs in memory. */
  readonly runs: number
  /** Leases that it holds. */
  readonly leases: number
  /** Suspended runs that have left memory, and that handles of this process follow. */
  readonly passivated: number
}

/** A troupe in numbers. */
export interface TroupeStats extends Required<RunStats> {
  readonly phase: TroupePhase
  /** This process. */
  readonly here: ProcessStats
  /** How long the store takes for the appends of this process. */
  readonly appends: AppendTimes
}

const fields: Fields<StatsOptions> = { settled: optional(aBoolean) }

/** Throws a `ConfigurationError`. */
export function readStats(given: StatsOptions = {}): StatsOptions {
  return readOptions<StatsOptions>(given, 'stats', fields)
}

/** Rejects with a `ConfigurationError` of the code `STORE_LACKS_PORT` where the store has no census. */
export async function countedIn(
  store: Pick<Store, 'census'>,
  now: number,
  { settled = false }: StatsOptions = {},
): Promise<Required<RunStats>> {
  if (store.census === undefined) throw missingPort('stats needs', 'census')
  return statsOf(await store.census({ now, settled }), now)
}

function statsOf({ unowned, alarms, questions, ...runs }: Census, at: number): Required<RunStats> {
  const { running, suspended, passivated, leased, left, settled } = runs
  const { count, since, byAge } = questions
  return {
    at,
    runs: { running, suspended, passivated, leased, left, ...(settled === undefined ? {} : { settled }) },
    questions: { open: count, ...(since === undefined ? {} : { oldest: Math.max(0, at - since) }), byAge },
    recovery: lagOf(unowned, at),
    alarms: lagOf(alarms, at),
  }
}

/** A time of another clock may lie ahead. */
function lagOf({ count, since = Number.POSITIVE_INFINITY }: Overdue, at: number): Lag {
  return { count, lag: Math.max(0, at - since) }
}

/** A troupe whose numbers are asked for. */
export interface StatsHost {
  readonly store: Pick<Store, 'census'>
  readonly environment: Pick<Environment, 'clock'>
  readonly phases: { readonly name: TroupePhase }
  readonly live: readonly unknown[]
  readonly keeper: { readonly leases: readonly unknown[] }
  readonly passivatedRuns: { readonly size: number }
  readonly appends: { readonly value: AppendTimes }
}

/** Rejects as `countedIn` does, and as the store does. */
export async function troupeStats(host: StatsHost, options: StatsOptions): Promise<TroupeStats> {
  const counted = await countedIn(host.store, host.environment.clock.now(), options)
  const { live, keeper, passivatedRuns, appends, phases } = host
  return {
    phase: phases.name,
    ...counted,
    here: { runs: live.length, leases: keeper.leases.length, passivated: passivatedRuns.size },
    appends: appends.value,
  }
}
