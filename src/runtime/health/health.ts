/** Whether a troupe is well: its phase, its store, and work that nobody takes. It never waits longer than its deadline. */
import { milliseconds } from '../../actors/strict/checks.ts'
import {
  defaultsOf,
  optional,
  readOptions,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import type { ErrorCode } from '../../errors.ts'
import type { Clock } from '../clock.ts'
import type { AppendTimer } from '../journal/append-times.ts'
import type { Store } from '../journal/store.ts'
import { errorCodeOf } from '../report.ts'
import { answered, isSilence } from '../store-outage.ts'
import { countedIn, type Lag, type RunStats } from './stats.ts'
import type { TroupePhase } from '../troupe-phase.ts'

/** The options of `health`. */
export interface HealthOptions {
  /** Milliseconds that the store has for its answer. Default: 2 000. */
  readonly deadline?: number
  /** Milliseconds for which runs and timers may be overdue. Default: three times `leaseTtl`. */
  readonly lag?: number
}

/** What is wrong with a troupe. `docs/run/health.md` tells what to do about each. */
export type HealthCode =
  | 'TROUPE_DRAINING'
  | 'TROUPE_CLOSED'
  | 'STORE_SILENT'
  | 'STORE_FAILED'
  | 'APPENDS_FAIL'
  | 'RECOVERY_LATE'
  | 'ALARMS_LATE'
  | 'RUNS_LEFT'

/** One thing that is wrong. */
export interface HealthProblem {
  readonly code: HealthCode
  /** One sentence of this library: it has no text of an error. */
  readonly message: string
  /** How many runs are concerned. */
  readonly count?: number
  /** Milliseconds for which the first of them is overdue. */
  readonly lag?: number
  /** The code of the error of the store. */
  readonly errorCode?: ErrorCode
  /** The error of the store. Not enumerable: no logger and no JSON has it by itself. */
  readonly error?: unknown
}

/** How a troupe is. */
export interface TroupeHealth {
  /** Whether nothing is wrong. */
  readonly ok: boolean
  readonly phase: TroupePhase
  readonly problems: readonly HealthProblem[]
}

const fields = {
  deadline: withDefault(milliseconds, 2_000),
  lag: optional(milliseconds),
} satisfies Fields<HealthOptions>

/** Throws a `ConfigurationError`. */
export function readHealth(given: HealthOptions = {}) {
  return { ...defaultsOf(fields), ...readOptions<HealthOptions>(given, 'health', fields) }
}

/** A troupe that is looked at. */
export interface HealthHost {
  readonly store: Pick<Store, 'census' | 'list'>
  readonly environment: { readonly clock: Clock }
  readonly phases: { readonly name: TroupePhase }
  readonly appends: Pick<AppendTimer, 'isFailing'>
  readonly leaseTtl: number
}

/** Never rejects. A store without a census is asked for a run: it says nothing about what is overdue. */
export async function healthOf(
  { store, environment: { clock }, phases: { name: phase }, appends, leaseTtl }: HealthHost,
  { deadline, lag = 3 * leaseTtl }: ReturnType<typeof readHealth>,
): Promise<TroupeHealth> {
  if (phase === 'closed') return told(phase, [{ code: 'TROUPE_CLOSED', message: 'The troupe is closed.' }])
  const problems: HealthProblem[] = []
  if (phase === 'draining')
    problems.push({ code: 'TROUPE_DRAINING', message: 'The troupe drains: it takes no runs.' })
  if (appends.isFailing)
    problems.push({
      code: 'APPENDS_FAIL',
      message: 'The store did not take the last append of this process.',
    })
  try {
    const stats = await answered(clock, deadline, () => asked(store, clock.now()))
    if (stats !== undefined) problems.push(...overdueIn(stats, lag))
  } catch (error) {
    problems.push(failureOf(error, deadline))
  }
  return told(phase, problems)
}

async function asked(store: HealthHost['store'], now: number): Promise<Required<RunStats> | undefined> {
  if (store.census !== undefined) return countedIn(store, now)
  await store.list('runs', { limit: 1 })
  return undefined
}

function told(phase: TroupePhase, problems: readonly HealthProblem[]): TroupeHealth {
  return { ok: problems.length === 0, phase, problems }
}

function failureOf(error: unknown, deadline: number): HealthProblem {
  const errorCode = errorCodeOf(error)
  const problem: HealthProblem = isSilence(error)
    ? { code: 'STORE_SILENT', message: `The store has not answered within ${deadline} ms.` }
    : {
        code: 'STORE_FAILED',
        message: 'The store could not be asked.',
        ...(errorCode === undefined ? {} : { errorCode }),
      }
  return Object.defineProperty(problem, 'error', { value: error })
}

function overdueIn({ recovery, alarms, runs }: Required<RunStats>, most: number): HealthProblem[] {
  const { left = 0 } = runs
  const late = (code: HealthCode, { count, lag }: Lag, what: string): HealthProblem[] =>
    lag > most ? [{ code, message: `${what}: ${count}, the first for ${lag} ms.`, count, lag }] : []
  return [
    ...late('RECOVERY_LATE', recovery, 'Runs whose process has gone wait for another'),
    ...late('ALARMS_LATE', alarms, 'Timers of runs are due, and no process has revived them'),
    ...(left === 0
      ? []
      : [
          {
            code: 'RUNS_LEFT',
            message: `Workers leave runs that three have died with: ${left}.`,
            count: left,
          } as const,
        ]),
  ]
}
