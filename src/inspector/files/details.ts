/** Entries and actors as the page shows them: plain data, with long texts and lists cut. */
import type { ActorView, Message, TrailEntry } from '../../index.ts'
import { type OutlineLimits, isRecord } from '../../kit/index.ts'
import { outlined } from '../../kit/host.ts'
import type { RowDetail, ViewDetail } from '../wire/routes.ts'

const limits: OutlineLimits = { text: 100_000, items: 1_000, depth: 60, values: 50_000 }

/** The latest messages of a conversation are shown, each within limits of its own: a large one takes no other's place. */
const mostMessages = 200
const messageLimits: OutlineLimits = { ...limits, values: 5_000 }

type Detailed = Pick<TrailEntry, 'recorded' | 'events' | 'asked'>

export function detailOf({ recorded, events, asked }: Detailed): RowDetail {
  const isModel = recorded.type === 'effect.settled' && recorded.kind === 'model'
  return cut({
    entry: recorded,
    events,
    ...(isModel && asked !== undefined ? { asked } : {}),
  }) as RowDetail
}

export function viewDetail({ path, machine, status, state, context, messages }: ActorView): ViewDetail {
  const view = cut({
    path,
    status,
    ...(machine === undefined ? {} : { machine }),
    ...(state === undefined ? {} : { state }),
    ...(context === undefined ? {} : { context: withoutMessages(context, messages) }),
  }) as ViewDetail
  return messages === undefined ? view : { ...view, ...latest(messages) }
}

function latest(messages: readonly Message[]): Pick<ViewDetail, 'messages' | 'earlier' | 'isCut'> {
  const shown = messages.slice(-mostMessages).map((message) => outlined(message, messageLimits))
  const earlier = messages.length - shown.length
  return {
    messages: shown.map(({ value }) => value as unknown as Message),
    ...(earlier === 0 ? {} : { earlier }),
    ...(shown.some(({ isCut }) => isCut) ? { isCut: true } : {}),
  }
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
