/** Reads a row, steps it, and writes it back, anew where another worker was faster. */
import { keptIn, rowOf, type KeptSchedule } from './kept-schedule.ts'
import type { ScheduleEvent } from './schedule-machine.ts'
import { stepped } from './schedule-state.ts'
import type { ScheduleRow, ScheduleStorage } from '../journal/schedule-storage.ts'

export interface RowsHost {
  readonly storage: ScheduleStorage
  readonly newId: () => string
  /** Milliseconds since 1970, by the clock of the runs. */
  now(): number
}

export class ScheduleRows {
  readonly #host: RowsHost

  constructor(host: RowsHost) {
    this.#host = host
  }

  async read(key: string): Promise<ScheduleRow | undefined> {
    return (await this.#host.storage.list({ key, limit: 1 })).items[0]
  }

  /** Tells an event once: the row as it then is, or `undefined` where the event changes nothing or another worker was faster. */
  async step(row: ScheduleRow, event: ScheduleEvent): Promise<ScheduleRow | undefined> {
    const kept = keptIn(row)
    const state = stepped(kept.state, event)
    if (state === undefined) return undefined
    return this.write(row, { ...kept, state }, row.revision)
  }

  /** Writes a value, where the row is as it was read. */
  async write(
    place: Pick<ScheduleRow, 'key' | 'agent' | 'resourceId'>,
    kept: KeptSchedule,
    before: string | undefined,
  ): Promise<ScheduleRow | undefined> {
    const { storage, newId } = this.#host
    const row = rowOf(place, kept, { revision: newId(), now: this.#host.now() })
    return (await storage.write(row, before)) ? row : undefined
  }

  /**
   * Tells an event until it is written. `eventOf`: made from the row as it is by then; `undefined`: none. Returns the row, and
   * `undefined` where there is none of this key.
   */
  async tell(
    key: string,
    eventOf: (row: ScheduleRow) => ScheduleEvent | undefined,
  ): Promise<ScheduleRow | undefined> {
    for (;;) {
      const row = await this.read(key)
      if (row === undefined) return undefined
      const event = eventOf(row)
      const kept = keptIn(row)
      const state = event === undefined ? undefined : stepped(kept.state, event)
      if (state === undefined) return row
      const written = await this.write(row, { ...kept, state }, row.revision)
      if (written !== undefined) return written
    }
  }
}
