/** The schedules of a store, without a troupe: to look at, to pause and to remove. */
import { systemEnvironment } from '../environment.ts'
import type { Store } from '../journal/store.ts'
import { troupeSchedules, type TroupeSchedules } from './schedules.ts'
import type { CronCalendar } from './time-plan.ts'

/** `cron`: resumes schedules by cron expressions. Nothing is started here: workers see a change when they look next. */
export function storedSchedules({
  store,
  cron,
}: {
  readonly store: Pick<Store, 'schedules'>
  readonly cron?: CronCalendar
}): TroupeSchedules {
  const { clock, newId } = systemEnvironment
  return troupeSchedules({
    storage: store.schedules,
    calendar: cron,
    newId,
    now: () => clock.now(),
    assertOpen: () => undefined,
    changed: () => undefined,
  })
}
