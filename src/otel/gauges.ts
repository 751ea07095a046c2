/** Gauges of a troupe in numbers: observed when the SDK of the app collects. No name of a run or a resource is in them. */
import type { Lag, RunStats, StatsOptions, TroupeStats } from '../index.ts'
import {
  type Fields,
  aBoolean,
  having,
  milliseconds,
  optional,
  readOptions,
  sleep,
  withDefault,
} from '../kit/index.ts'
import { metrics, type BatchObservableResult, type Meter, type Observable } from '@opentelemetry/api'
import { attribute, gauge } from './names.ts'

/** The options of `otelGauges`. */
export interface OtelGaugesOptions {
  /** Default: `metrics.getMeter('troupe')`. */
  readonly meter?: Meter
  /** Counts ended runs too: the cost grows with their number. Default: `false`. */
  readonly settled?: boolean
  /** Milliseconds that the store has for its answer; later ones are left out. Default: 2 000. */
  readonly deadline?: number
}

/** What has numbers: a `Troupe`, or a `RestateTroupe` with `admin`. */
export interface CountedTroupe {
  stats(options?: StatsOptions): Promise<RunStats & Partial<TroupeStats>>
}

const fields = {
  meter: optional(having('a meter of @opentelemetry/api', 'createObservableGauge')),
  settled: withDefault(aBoolean, false),
  deadline: withDefault(milliseconds, 2_000),
} satisfies Fields<OtelGaugesOptions>

/**
 * Makes the gauges of a troupe: runs by state, open questions by age, what is overdue, and the appends of this process. Each
 * collection asks for `stats` once; one that fails, or is late, is counted and observes nothing else. Returns the function that ends
 * this. Throws a `ConfigurationError` for a wrong option.
 */
export function otelGauges(troupe: CountedTroupe, options: OtelGaugesOptions = {}): () => void {
  const read = readOptions<OtelGaugesOptions>(options, 'otelGauges', fields)
  const {
    meter = metrics.getMeter('troupe'),
    settled = fields.settled.default,
    deadline = fields.deadline.default,
  } = read
  const gauges = gaugesOf(meter)
  let failed = 0
  const observe = async (result: BatchObservableResult): Promise<void> => {
    try {
      const stats = await Promise.race([troupe.stats({ settled }), late(deadline)])
      if (stats === undefined) failed++
      else observeStats(result, gauges, stats)
    } catch {
      failed++ // whoever asks the troupe for its health is told why
    }
    result.observe(gauges.failedStats, failed)
  }
  const observables: Observable[] = Object.values(gauges)
  meter.addBatchObservableCallback(observe, observables)
  return () => meter.removeBatchObservableCallback(observe, observables)
}

async function late(deadline: number): Promise<undefined> {
  await sleep(deadline, { background: true })
  return undefined
}

type Gauges = Readonly<Record<keyof typeof gauge, Observable>>

function gaugesOf(meter: Meter): Gauges {
  const made = (name: keyof typeof gauge, unit: string, description: string): Observable =>
    meter.createObservableGauge(gauge[name], { unit, description })
  const counter = (name: keyof typeof gauge, unit: string, description: string): Observable =>
    meter.createObservableCounter(gauge[name], { unit, description })
  return {
    runs: made('runs', '{run}', 'Runs on the store by state'),
    passivatedRuns: made('passivatedRuns', '{run}', 'Suspended runs that have left memory'),
    leasedRuns: made('leasedRuns', '{run}', 'Unfinished runs that a process has'),
    leftRuns: made('leftRuns', '{run}', 'Unfinished runs that workers leave'),
    questions: made('questions', '{question}', 'Open questions by age'),
    oldestQuestion: made('oldestQuestion', 's', 'Age of the oldest open question'),
    recoveryRuns: made('recoveryRuns', '{run}', 'Unfinished runs whose process has gone'),
    recoveryLag: made('recoveryLag', 's', 'Time for which the first of them waits for another process'),
    alarms: made('alarms', '{run}', 'Passivated runs with a timer that is due'),
    alarmLag: made('alarmLag', 's', 'Time for which the first of these timers is due'),
    processRuns: made('processRuns', '{run}', 'Runs in the memory of this process'),
    processLeases: made('processLeases', '{lease}', 'Leases that this process holds'),
    appends: counter('appends', '{append}', 'Appends that the store took from this process'),
    failedAppends: counter('failedAppends', '{append}', 'Appends of this process that failed'),
    appendDuration: made('appendDuration', 's', 'Duration of the last appends of this process'),
    failedStats: counter(
      'failedStats',
      '{collection}',
      'Collections for which there were no numbers in time',
    ),
  }
}

function observeStats(
  result: BatchObservableResult,
  gauges: Gauges,
  { runs, questions, recovery, alarms, here, appends }: RunStats & Partial<TroupeStats>,
): void {
  const set = (name: keyof Gauges, value: number | undefined, attributes = {}): void => {
    if (value !== undefined) result.observe(gauges[name], value, attributes)
  }
  const setLag = (count: keyof Gauges, lag: keyof Gauges, value: Lag | undefined): void => {
    set(count, value?.count)
    set(lag, value && value.lag / 1_000)
  }
  for (const state of ['running', 'suspended', 'settled'] as const)
    set('runs', runs[state], { [attribute.runState]: state })
  set('passivatedRuns', runs.passivated)
  set('leasedRuns', runs.leased)
  set('leftRuns', runs.left)
  for (const age of ['minute', 'hour', 'day', 'older'] as const)
    set('questions', questions.byAge[age], { [attribute.questionAge]: age })
  set('oldestQuestion', (questions.oldest ?? 0) / 1_000)
  setLag('recoveryRuns', 'recoveryLag', recovery)
  setLag('alarms', 'alarmLag', alarms)
  set('processRuns', here?.runs)
  set('processLeases', here?.leases)
  set('appends', appends?.count)
  set('failedAppends', appends?.failed)
  for (const statistic of ['mean', 'p50', 'p95', 'p99'] as const) {
    const time = appends?.[statistic]
    set('appendDuration', time && time / 1_000, { [attribute.statistic]: statistic })
  }
}
