/** Events that open and close something come in pairs: whatever a run opens is closed at its end. */
import type { EventType } from '../../../machines/contract/events.ts'
import type { RunEvent } from '../../../runtime/handle/event-log.ts'
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
  { opens: 'text-start', closes: ['text-end'], idOf: byMessage },
  { opens: 'reasoning-start', closes: ['reasoning-end'], idOf: byMessage },
  { opens: 'background-start', closes: ['background-end'], idOf: byFields('taskId') },
  { opens: 'plan-step-start', closes: ['plan-step-end'], idOf: byFields('stepId', 'revision') },
  { opens: 'fan-out', closes: ['fan-in'], idOf: byFields('correlationId') },
  { opens: 'tool-call', closes: ['tool-result', 'tool-error'], idOf: byFields('toolCallId') },
]

/** Pairs that the library leaves open in some runs; each will be closed, and its row deleted. */
export const openBrackets: ReadonlySet<string> = new Set([
  'step-start without step-finish',
  'iteration-start without iteration-end',
  'scoring-start without scoring-complete',
  'delegation-end without delegation-start',
  'suspended without resumed',
  'fan-out without fan-in',
])

/** `exceptions`: violations, without their places, that are not reported. */
export function bracketRule(exceptions: ReadonlySet<string>): (visit: Visit) => string | undefined {
  return ({ world, events }) => {
    if (!world.hasEnded) return undefined
    for (const bracket of brackets) {
      const violation = violationOf(bracket, events)
      if (violation !== undefined && !exceptions.has(violation.what))
        return `${violation.what}: ${violation.where}.`
    }
    return undefined
  }
}

function violationOf({ opens, closes, idOf }: Bracket, events: readonly RunEvent[]) {
  const open = new Map<string, RunEvent>()
  const closing: readonly string[] = closes
  for (const event of events) {
    if (event.type === opens) {
      if (open.has(idOf(event))) return { what: `${opens} twice`, where: event.path }
      open.set(idOf(event), event)
    } else if (closing.includes(event.type) && !open.delete(idOf(event))) {
      return { what: `${event.type} without ${opens}`, where: event.path }
    }
  }
  for (const { path } of open.values())
    return { what: `${opens} without ${closes.join(' or ')}`, where: path }
  return undefined
}
