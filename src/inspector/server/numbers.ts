/** The numbers of a service as the page shows them: in groups, as texts. */
import type { RunStats, TroupeStats } from '../../index.ts'
import { notFound } from '../../kit/wire/index.ts'
import type { NumberGroup, Numbers } from '../wire/routes.ts'
import type { InspectedService } from './service.ts'

/** A store that does not answer is told of by `health`, in its time. Rejects as the store does, and where there are none. */
export async function numbersOf(service: InspectedService): Promise<Numbers> {
  if (service.stats === undefined) throw notFound('the numbers of this service')
  const health = await service.health?.()
  const stats: RunStats & Partial<TroupeStats> = await service.stats({ settled: true })
  const problems = health?.problems.map(({ code, message, errorCode = '' }) =>
    [code, message, errorCode].join(' '),
  )
  return {
    state: health === undefined || problems?.length !== 0 ? '' : 'Nothing is wrong.',
    problems: problems ?? [],
    groups: groupsOf(stats),
  }
}

function groupsOf(stats: RunStats & Partial<TroupeStats>): readonly NumberGroup[] {
  const { runs, questions, recovery, alarms, here, appends } = stats
  const { minute, hour, day, older } = questions.byAge
  return [
    group('Runs', {
      running: counted(runs.running),
      suspended: counted(runs.suspended),
      'in no memory': counted(runs.passivated),
      'in a process': counted(runs.leased),
      left: counted(runs.left),
      ended: counted(runs.settled),
    }),
    group('Open questions', {
      open: counted(questions.open),
      'under a minute': counted(minute),
      'under an hour': counted(hour),
      'under a day': counted(day),
      older: counted(older),
      oldest: timed(questions.oldest),
    }),
    group('Overdue', {
      'runs without a process': counted(recovery?.count),
      'first run waits': timed(recovery?.lag),
      'timers due': counted(alarms?.count),
      'first timer waits': timed(alarms?.lag),
    }),
    group('This process', {
      'runs in memory': counted(here?.runs),
      leases: counted(here?.leases),
      appends: counted(appends?.count),
      'appends failed': counted(appends?.failed),
      'append, median': timed(appends?.p50),
      '95 of 100': timed(appends?.p95),
      '99 of 100': timed(appends?.p99),
    }),
  ].filter(({ rows }) => rows.length > 0)
}

function group(title: string, texts: Readonly<Record<string, string | undefined>>): NumberGroup {
  return {
    title,
    rows: Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  }
}

function counted(count: number | undefined): string | undefined {
  return count?.toLocaleString('en')
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

function timed(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined
  const [span, unit] = units.find(([least]) => ms >= least) ?? [1, 'ms']
  return `${Number((ms / span).toPrecision(3))} ${unit}`
}
