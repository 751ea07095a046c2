/** Two workers, kills and clocks that jump: each occurrence of a schedule is started once, and none is lost. Behaviour 104. */
import type { ScheduleRow, WholeStore } from 'troupe'
import { expect, test } from 'vitest'
import { simulateSchedules, statusOf, type ScheduleFault } from './schedules.ts'

test('in 12 worlds each occurrence is started once, and none is lost', async () => {
  let starts = 0
  for (let seed = 1; seed <= 12; seed++) {
    const { findings, starts: here, trace } = await simulateSchedules(seed)
    if (findings.length > 0)
      expect.fail(`seed ${seed}\n${findings.join('\n')}\n${trace.slice(-40).join('\n')}`)
    starts += here
  }
  expect(starts).toBeGreaterThan(12 * 10)
})

test('the same seed gives the same trace', async () => {
  const [one, other] = [await simulateSchedules(3), await simulateSchedules(3)]
  expect(other.trace).toEqual(one.trace)
})

const writing = (
  base: WholeStore,
  write: (row: ScheduleRow, before: string | undefined) => Promise<boolean>,
): WholeStore => ({
  ...base,
  ...(base.schedules === undefined ? {} : { schedules: { ...base.schedules, write } }),
})

const faults: Readonly<Record<string, ScheduleFault & { readonly finds: string }>> = {
  'a store that loses the claims of every third occurrence, and moves the schedule on': {
    finds: 'noneLost',
    inBase: (base) => {
      let claims = 0
      return writing(base, async (row, before) => {
        const { status, context } = statusOf(row)
        if (status !== 'starting' || ++claims % 3 > 0)
          return (await base.schedules?.write(row, before)) ?? false
        const due = (context as { readonly due: number }).due + 700
        const state = { status: 'waiting', context: { ...context, due, wakeAt: due } }
        const value = { ...(row.value as object), state } as unknown as ScheduleRow['value']
        return (await base.schedules?.write({ ...row, wakeAt: due, value }, before)) ?? false
      })
    },
  },
  'runs that are deleted behind the back of their schedules': { finds: 'once', deletesBehind: true },
}

test.each(Object.entries(faults))('a planted fault is found: %s', async (_, { finds, ...fault }) => {
  const found: string[] = []
  for (let seed = 1; seed <= 60 && !found.some((one) => one.startsWith(finds)); seed++)
    found.push(...(await simulateSchedules(seed, fault)).findings)
  expect(found.join('\n')).toContain(finds)
})
