/** Events that come in pairs: what begins has an end, in the run that ends. */
import type { RunEvent } from 'troupe'

/** The event that ends each event. */
const ends: Readonly<Partial<Record<RunEvent['type'], readonly RunEvent['type'][]>>> = {
  'step-start': ['step-finish'],
  'iteration-start': ['iteration-end'],
  'scoring-start': ['scoring-complete'],
  'delegation-start': ['delegation-end'],
  'background-start': ['background-end'],
  'plan-step-start': ['plan-step-end'],
  'tool-call': ['tool-result', 'tool-error'],
  suspended: ['resumed'],
}

const starts = new Map(
  Object.entries(ends).flatMap(([start, list]) => list.map((end) => [end, start] as const)),
)

/**
 * What is wrong with the pairs of a run that has ended: a start without an end, an end without a start, a second start before the
 * end.
 */
export function unpaired(events: readonly RunEvent[]): string[] {
  const open = new Map<string, number>()
  const found: string[] = []
  for (const event of events) {
    const ended = starts.get(event.type)
    const key = `${ended ?? event.type} ${pairOf(event)}`
    if (event.type in ends) {
      if (open.has(key)) found.push(`${event.seq}: ${key} begins again`)
      open.set(key, event.seq ?? 0)
    } else if (ended !== undefined && !open.delete(key)) {
      found.push(`${event.seq}: ${event.type} ${pairOf(event)} has no start`)
    }
  }
  return [...found, ...[...open].map(([key, seq]) => `${seq}: ${key} has no end`)]
}

function pairOf(event: RunEvent): string {
  switch (event.type) {
    case 'suspended':
    case 'resumed':
      return ''
    case 'background-start':
    case 'background-end':
      return event.payload.taskId
    case 'plan-step-start':
    case 'plan-step-end':
      return `${event.path} ${event.payload.stepId} ${event.payload.revision}`
    case 'tool-call':
    case 'tool-result':
    case 'tool-error':
      return event.payload.toolCallId
    default:
      return event.path
  }
}
