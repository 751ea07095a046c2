/** Entries and actors as the page shows them: plain data, with long texts and lists cut. */
import { isRecord } from '../../actors/values/json.ts'
import { outlined, type OutlineLimits } from '../../actors/values/outline.ts'
import type { ActorView } from '../../runtime/replay/actor-view.ts'
import type { TrailEntry } from '../../runtime/trail/trail.ts'
import type { RowDetail, ViewDetail } from '../wire/routes.ts'

const limits: OutlineLimits = { text: 100_000, items: 1_000, depth: 60, values: 50_000 }

export function detailOf({ recorded, events }: Pick<TrailEntry, 'recorded' | 'events'>): RowDetail {
  return cut({ entry: recorded, events }) as RowDetail
}

export function viewDetail({ path, machine, status, state, context, messages }: ActorView): ViewDetail {
  return cut({
    path,
    status,
    ...(machine === undefined ? {} : { machine }),
    ...(state === undefined ? {} : { state }),
    ...(context === undefined ? {} : { context: withoutMessages(context, messages) }),
    ...(messages === undefined ? {} : { messages }),
  }) as ViewDetail
}

/** The outline has the fields of the value. */
function cut(value: object): object {
  const { value: shown, isCut } = outlined(value, limits)
  return isCut ? { ...(shown as object), isCut } : (shown as object)
}

/** The conversation of an agent stands beside its context. */
function withoutMessages(context: unknown, messages: ActorView['messages']): unknown {
  if (messages === undefined || !isRecord(context)) return context
  const { messages: _, ...rest } = context
  return rest
}
