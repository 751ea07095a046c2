/** Events that open and close something come in pairs: whatever a run opens is closed at its end. */
import type { EventType } from '../../../machines/contract/events.ts'
import type { RunEvent } from '../../../runtime/handle/run-event.ts'
import type { Visit } from './visit.ts'

interface Bracket {
  readonly opens: EventType
  readonly closes: readonly EventType[]
  /** Pairs have equal ids. */
  readonly idOf: (event: RunEvent) => string
}

const byPath = ({ path }: RunEvent): string => path
const byMessage = ({ messageId }: RunEvent): string => messageId ?? ''
const byRun = (): string => ''

/** By the path and fields of the payload. */
function byFields(...names: readonly string[]): (event: RunEvent) => string {
  return ({ path, payload }) =>
    JSON.stringify([path, ...names.map((name) => Reflect.get(payload, name) as unknown)])
}

const brackets: readonly Bracket[] = [
  { opens: 'run-start', closes: ['run-finish'], idOf: byRun },
  { opens: 'step-start', closes: ['step-finish'], idOf: byFields('step') },
  { opens: 'iteration-start', closes: ['iteration-end'], idOf: byFields('iteration') },
  { opens: 'scoring-start', closes: ['scoring-complete'], idOf: byPath },
  { opens: 'delegation-start', closes: ['delegation-end'], idOf: byPath },
  { opens: 'suspended', closes: ['resumed'], idOf: byRun },
  // Also those that were streamed and then cut or rejected.
  { opens: 'text-start', closes: ['text-end'], idOf: byMessage },
  { opens: 'reasoning-start', closes: ['reasoning-end'], idOf: byMessage },
  { opens: 'background-start', closes: ['background-end'], idOf: byFields('taskId') },
  { opens: 'plan-step-start', closes: ['plan-step-end'], idOf: byFields('stepId', 'revision') },
  { opens: 'fan-out', closes: ['fan-in'], idOf: byFields('correlationId') },
  { opens: 'tool-call', closes: ['tool-result', 'tool-error'], idOf: byFields('toolCallId') },
]

export function bracketRule({ world, events }: Visit): string | undefined {
  return world.hasEnded ? unpaired(events) : undefined
}

/** The first pair of a run that has ended in which an event is missing, or which begins twice. */
export function unpaired(events: readonly RunEvent[]): string | undefined {
  for (const bracket of brackets) {
    const violation = violationOf(bracket, events)
    if (violation !== undefined) return violation
  }
  return undefined
}

function violationOf({ opens, closes, idOf }: Bracket, events: readonly RunEvent[]): string | undefined {
  const open = new Map<string, RunEvent>()
  const closing: readonly string[] = closes
  for (const event of events) {
    if (event.type === opens) {
      if (open.has(idOf(event))) return `${opens} twice: ${event.path}.`
      open.set(idOf(event), event)
    } else if (closing.includes(event.type) && !open.delete(idOf(event))) {
      return `${event.type} without ${opens}: ${event.path}.`
    }
  }
  const [left] = open.values()
  return left === undefined ? undefined : `${opens} without ${closes.join(' or ')}: ${left.path}.`
}
