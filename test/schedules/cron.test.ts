/** Cron expressions against what others expect of them: test tables and reports of public schedulers, by their facts. */
import fc from 'fast-check'
import { cron } from 'troupe/cron'
import { expect, test } from 'vitest'

/** Where the expectation is from, the expression, its zone, a moment, and the moments that follow. */
type Row = readonly [
  from: string,
  expression: string,
  timeZone: string,
  after: string,
  next: readonly string[],
]

const newYork = 'America/New_York'
const berlin = 'Europe/Berlin'
const lordHowe = 'Australia/Lord_Howe'
const amman = 'Asia/Amman'

const rows: readonly Row[] = [
  // The clock is put forward.
  ['Cronos', '30 2 * * *', newYork, '2016-03-12 02:30-05', ['2016-03-13 03:00-04', '2016-03-14 02:30-04']],
  ['Cronos', '0,30 2 * * *', newYork, '2016-03-12 02:30-05', ['2016-03-13 03:00-04', '2016-03-14 02:00-04']],
  ['Cronos', '*/30 2 13 3 *', newYork, '2016-03-13 01:59-05', ['2016-03-13 03:00-04', '2017-03-13 02:00-04']],
  ['Cronos', '0 */2 * * *', newYork, '2016-03-13 00:00-05', ['2016-03-13 03:00-04', '2016-03-13 04:00-04']],
  [
    'Cronos',
    '30 0-23/2 * * *',
    newYork,
    '2016-03-13 00:30-05',
    ['2016-03-13 03:00-04', '2016-03-13 04:30-04'],
  ],
  ['Cronos', '*/30 * * * *', newYork, '2016-03-13 01:30-05', ['2016-03-13 03:00-04', '2016-03-13 03:30-04']],
  [
    'Cronos',
    '0 1-58 */2 * * *',
    newYork,
    '2016-03-13 01:59-05',
    ['2016-03-13 03:00-04', '2016-03-13 04:01-04'],
  ],
  [
    'Cronos, half an hour',
    '0,30 2 * * *',
    lordHowe,
    '2017-10-01 01:59+10:30',
    ['2017-10-01 02:30+11', '2017-10-02 02:00+11'],
  ],
  [
    'Cronos, half an hour',
    '*/30 * * * *',
    lordHowe,
    '2017-10-01 01:45+10:30',
    ['2017-10-01 02:30+11', '2017-10-01 03:00+11'],
  ],
  [
    'Cronos, midnight',
    '30 0 L * *',
    amman,
    '2017-03-30 23:59+02',
    ['2017-03-31 01:00+03', '2017-04-30 00:30+03'],
  ],
  [
    'Cronos, midnight',
    '30 0 29 * *',
    amman,
    '2019-03-28 23:59+02',
    ['2019-03-29 01:00+03', '2019-04-29 00:30+03'],
  ],
  [
    'robfig/cron, midnight',
    '0 0 * * *',
    'America/Sao_Paulo',
    '2018-11-03 12:00-03',
    ['2018-11-04 01:00-02', '2018-11-05 00:00-02'],
  ],
  [
    'robfig/cron#541',
    '0 2 * * *',
    'America/Los_Angeles',
    '2025-03-08 12:00-08',
    ['2025-03-09 03:00-07', '2025-03-10 02:00-07'],
  ],
  [
    'dagster',
    '0 2 * * *',
    berlin,
    '2023-03-25 00:00+01',
    ['2023-03-25 02:00+01', '2023-03-26 03:00+02', '2023-03-27 02:00+02'],
  ],
  [
    'node-cron#563',
    '30 2 * * *',
    newYork,
    '2021-03-14 01:00-05',
    ['2021-03-14 03:00-04', '2021-03-15 02:30-04'],
  ],
  ['cronie#218', '0 12 * * 0', berlin, '2022-03-24 12:00+01', ['2022-03-27 12:00+02', '2022-04-03 12:00+02']],
  [
    'a day that was left out',
    '0 9 * * *',
    'Pacific/Apia',
    '2011-12-29 09:00-10',
    ['2011-12-31 00:00+14', '2011-12-31 09:00+14'],
  ],

  // The clock is put back.
  [
    'node-cron#563',
    '30 1 * * *',
    newYork,
    '2021-11-07 00:00-04',
    ['2021-11-07 01:30-04', '2021-11-08 01:30-05'],
  ],
  ['Cronos', '0,30 1 * * *', newYork, '2016-11-06 01:30-04', ['2016-11-07 01:00-05', '2016-11-07 01:30-05']],
  ['Cronos', '0,30 1 * * *', newYork, '2016-11-06 01:10-05', ['2016-11-07 01:00-05']],
  [
    'Cronos',
    '*/30 * * * *',
    newYork,
    '2016-11-06 01:30-04',
    ['2016-11-06 01:00-05', '2016-11-06 01:30-05', '2016-11-06 02:00-05'],
  ],
  [
    'Cronos, half an hour',
    '0,30 1 * * *',
    lordHowe,
    '2017-04-02 01:00+11',
    ['2017-04-02 01:30+11', '2017-04-03 01:00+10:30'],
  ],
  [
    'Cronos, half an hour',
    '30 * * * *',
    lordHowe,
    '2017-04-02 01:30+11',
    ['2017-04-02 01:30+10:30', '2017-04-02 02:30+10:30'],
  ],
  ['Cronos, midnight', '30 0 L * *', amman, '2014-10-31 00:30+03', ['2014-11-30 00:30+02']],
  [
    'Cronos, midnight',
    '30 23 * * *',
    'America/Santiago',
    '2017-05-13 23:59:59.999-03',
    ['2017-05-14 23:30-04'],
  ],
  [
    'bull#2207',
    '0 6 * * MON',
    newYork,
    '2021-11-05 12:00-04',
    ['2021-11-08 06:00-05', '2021-11-15 06:00-05'],
  ],
  [
    'croner#144',
    '0 30 2 * * *',
    berlin,
    '2023-10-28 12:00+02',
    ['2023-10-29 02:30+02', '2023-10-30 02:30+01'],
  ],
  ['cronie#124', '30 1 * * *', 'UTC', '2022-10-29 12:00Z', ['2022-10-30 01:30Z', '2022-10-31 01:30Z']],
  ['croner#284', '0 * * * *', 'UTC', '2025-10-04 15:00Z', ['2025-10-04 16:00Z', '2025-10-04 17:00Z']],

  // Calendars.
  [
    'the 31st',
    '0 0 31 * *',
    'UTC',
    '2026-03-31 00:00Z',
    ['2026-05-31 00:00Z', '2026-07-31 00:00Z', '2026-08-31 00:00Z'],
  ],
  ['the last day', '0 0 L * *', 'UTC', '2028-01-31 00:00Z', ['2028-02-29 00:00Z', '2028-03-31 00:00Z']],
  ['leap days', '0 0 29 2 *', 'UTC', '2024-02-29 00:00Z', ['2028-02-29 00:00Z', '2032-02-29 00:00Z']],
  ['leap days of a century', '0 0 29 2 *', 'UTC', '2096-02-29 00:00Z', ['2104-02-29 00:00Z']],
  [
    'a year ends',
    '59 59 23 31 12 *',
    'UTC',
    '2026-12-31 23:59:58Z',
    ['2026-12-31 23:59:59Z', '2027-12-31 23:59:59Z'],
  ],
  [
    'a second time of a week',
    '0 9 * * 2#5',
    'UTC',
    '2017-02-01 00:00Z',
    ['2017-05-30 09:00Z', '2017-08-29 09:00Z'],
  ],
  ['Sunday by two numbers', '0 0 * * 7', 'UTC', '2026-03-02 00:00Z', ['2026-03-08 00:00Z']],
  ['a weekday near a day', '30 17 7W * *', newYork, '2017-01-06 17:45-05', ['2017-02-07 17:30-05']],
  ['half an hour ahead of UTC', '0 9 * * *', 'Asia/Kolkata', '2026-01-01 00:00Z', ['2026-01-01 03:30Z']],
]

const at = (text: string): number =>
  new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).getTime()
const textOf = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString()

test.for(rows)('%s: %s in %s after %s', ([, expression, timeZone, after, next]) => {
  let time = at(after)
  for (const expected of next) {
    const found = cron.next(expression, timeZone, time)
    expect(textOf(found)).toBe(textOf(at(expected)))
    time = at(expected)
    expect(textOf(cron.latest(expression, timeZone, time))).toBe(textOf(time))
    expect(textOf(cron.next(expression, timeZone, time - 1))).toBe(textOf(time))
  }
})

test('a time that no calendar has is none', () => {
  expect(cron.next('0 0 31 2 *', 'UTC', 0)).toBeUndefined()
  expect(cron.next('0 0 30 2 *', newYork, 0)).toBeUndefined()
  expect(cron.latest('0 * 31 4 *', berlin, at('2026-01-01 00:00Z'))).toBeUndefined()
})

test.for([
  ['60 * * * *', 'UTC'],
  ['* * * *', 'UTC'],
  ['0 9 * * *', 'Nowhere/Here'],
  [' ', 'UTC'],
  ['0 9 * * *', ''],
])('"%s" in "%s" is refused', ([expression = '', timeZone = '']) => {
  expect(() => cron.check(expression, timeZone)).toThrow(/CronPattern|time zone|empty/i)
})

const minute = 60_000

/** By looking at each minute of the wall, as a person would: the rule of the page, written a second time. */
function byLooking(expression: string, timeZone: string, after: number, begin: number): number {
  const [minutes = '', hours = ''] = expression.split(' ')
  const has = (field: string, value: number): boolean =>
    field.split(',').some((part) => {
      const [range = '', step = '1'] = part.split('/')
      const [first = 0, last = range === '*' ? 59 : first] =
        range === '*' ? [0] : range.split('-').map(Number)
      return value >= first && value <= last && (value - first) % Number(step) === 0
    })
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  const wallOf = (time: number): number => {
    const [date = '', clock = ''] = format.format(time).split(', ')
    const [day = 0, month = 1, year = 0] = date.split('/').map(Number)
    const [hour = 0, minute = 0] = clock.split(':').map(Number)
    return Date.UTC(year, month - 1, day, hour, minute)
  }
  const matches = (wall: number): boolean => {
    const date = new Date(wall)
    return has(minutes, date.getUTCMinutes()) && has(hours, date.getUTCHours())
  }
  // A walk from a quiet day on: the wall moves by a minute, or by more where the clock is put forward, or back.
  let shown = wallOf(begin - minute)
  for (let time = begin; ; time += minute) {
    const wall = wallOf(time)
    const isRepeated = wall <= shown
    const isLeftOut = Array.from({ length: Math.max(0, (wall - shown) / minute - 1) }, (_, index) =>
      matches(shown + (index + 1) * minute),
    ).includes(true)
    const isHourly = hours === '*'
    const comes = isHourly ? matches(wall) : isLeftOut || (!isRepeated && matches(wall))
    shown = Math.max(shown, wall)
    if (isHourly) shown = wall
    if (comes && time > after) return time
  }
}

test('around changes of the clock, the times are those that a person reads off the wall', () => {
  const changes = [
    [newYork, '2026-03-08 07:00Z'],
    [newYork, '2026-11-01 06:00Z'],
    [berlin, '2026-03-29 01:00Z'],
    [berlin, '2026-10-25 01:00Z'],
    [lordHowe, '2026-04-04 15:00Z'],
    [lordHowe, '2026-10-03 15:30Z'],
  ] as const
  const cases = fc.record({
    expression: fc.constantFrom(
      '*/15 * * * *',
      '7,52 * * * *',
      '20 2 * * *',
      '0,40 0-3 * * *',
      '5 */2 * * *',
    ),
    change: fc.constantFrom(...changes),
    away: fc.integer({ min: -180, max: 180 }),
  })
  fc.assert(
    fc.property(cases, ({ expression, change: [timeZone, when], away }) => {
      const after = at(when) + away * minute
      const next = cron.next(expression, timeZone, after)
      expect(textOf(next)).toBe(textOf(byLooking(expression, timeZone, after, at(when) - 300 * minute)))
      expect(cron.latest(expression, timeZone, next ?? 0)).toBe(next)
      const latest = cron.latest(expression, timeZone, after) ?? 0
      expect(latest).toBeLessThanOrEqual(after)
      expect(cron.next(expression, timeZone, latest)).toBe(next)
    }),
    { numRuns: 30 },
  )
})
