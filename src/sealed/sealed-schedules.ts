/** Schedules: the time plan, the prompt and the options are sealed by the key of their resource. */
import type { JsonValue, OnError, Page, ScheduleRow, ScheduleStorage } from '../index.ts'
import { isRecord, type Whole } from '../kit/index.ts'
import { namedFilter, sealedIn, unnamed } from './envelope.ts'
import type { Names } from './names.ts'
import type { Redactor } from './redact.ts'
import { isUnreadable, type Seals } from './seals.ts'

export function sealedSchedules(
  schedules: ScheduleStorage,
  {
    seals,
    names,
    redact,
    report,
  }: {
    readonly seals: Seals
    readonly names: Names
    readonly redact: Redactor
    readonly report: OnError
  },
): Whole<ScheduleStorage> {
  /** A row that nobody can open has no value: it can be removed. */
  const opened = async (row: ScheduleRow): Promise<ScheduleRow> => {
    try {
      const value = await seals.open(sealedIn(row.value as object), ['schedule', row.key])
      return { ...unnamed(row, names), value: value as JsonValue }
    } catch (error) {
      if (!isUnreadable(error)) throw error
      const message = `the schedule "${row.key}" is left out`
      report({ message, code: 'CONTENT_LEFT_OUT', where: 'store', error })
      return { ...unnamed(row, names), value: null }
    }
  }
  const allOpened = (rows: readonly ScheduleRow[]): Promise<ScheduleRow[]> => Promise.all(rows.map(opened))
  return {
    async list(filter): Promise<Page<ScheduleRow>> {
      const page = await schedules.list(namedFilter(filter, names))
      return { ...page, items: await allOpened(page.items) }
    },
    /** Rows whose key was forgotten stay in the store, and hide no others. */
    async next({ agents, limit }) {
      for (let most = limit; ; most *= 2) {
        const found = await schedules.next({ agents, limit: most })
        const rows = (await allOpened(found)).filter(({ value }) => value !== null)
        if (rows.length >= limit || found.length < most) return rows.slice(0, limit)
      }
    },
    async write(row, before) {
      const sealed = await seals.seal(withoutTexts(row.value, redact), row.resourceId, ['schedule', row.key])
      return schedules.write({ ...namedFilter(row, names), value: { sealed } }, before)
    },
    remove: (key) => schedules.remove(key),
    ended: (expiry) => schedules.ended(expiry),
  }
}

/** The prompt is content; a time plan is none. */
function withoutTexts(value: JsonValue, redact: Redactor): JsonValue {
  if (!isRecord(value) || value['prompt'] === undefined) return value
  return { ...value, prompt: redact.json(value['prompt']) }
}
