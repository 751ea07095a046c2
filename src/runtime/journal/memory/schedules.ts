/** Schedules, in memory. */
import type { ScheduleRow, ScheduleStorage } from '../schedule-storage.ts'
import { expiredOf } from './expired.ts'
import { pageIn } from './pages.ts'

interface Kept {
  readonly position: number
  readonly row: ScheduleRow
}

export function memorySchedules(): ScheduleStorage {
  const rows = new Map<string, Kept>()
  let positions = 0
  return {
    async list(filter) {
      const { key, agent, resourceId } = filter
      return pageIn('schedules', [...rows.values()], filter, {
        fits: ({ row }) =>
          (key === undefined || row.key === key) &&
          (agent === undefined || row.agent === agent) &&
          (resourceId === undefined || row.resourceId === resourceId),
        item: ({ row }) => row,
      })
    },
    async next({ agents, limit }) {
      const known = new Set(agents)
      return [...rows.values()]
        .map(({ row }) => row)
        .filter(({ agent, wakeAt }) => wakeAt !== undefined && known.has(agent))
        .toSorted((a, b) => (a.wakeAt ?? 0) - (b.wakeAt ?? 0))
        .slice(0, limit)
    },
    async write(row, before) {
      const kept = rows.get(row.key)
      if (kept?.row.revision === row.revision) return true
      if (kept?.row.revision !== before) return false
      rows.set(row.key, { position: kept?.position ?? ++positions, row: structuredClone(row) })
      return true
    },
    remove: async (key) => rows.delete(key),
    async ended(expiry) {
      const ended = [...rows.values()].flatMap(({ row: { key, endedAt } }) =>
        endedAt === undefined ? [] : [{ id: key, updatedAt: endedAt }],
      )
      return expiredOf(ended, expiry).items
    },
  }
}
