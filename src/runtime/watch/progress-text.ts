/** The work of a run as lines for people and other agents. */
import { ownOutcome } from '../../machines/contract/subagent-outcome.ts'
import type { RunEvent } from '../handle/run-event.ts'

/** `undefined`: the event is no step of the work. */
export function progressText({ agent, type, payload }: RunEvent): string | undefined {
  switch (type) {
    case 'tool-call':
      return `${agent} calls ${payload.toolName}`
    case 'delegation-start':
      return `${agent} asks ${payload.agentId}`
    case 'delegation-end':
      return `${payload.agentId} has ended: ${ownOutcome(payload)}`
    case 'handoff':
      return `${payload.from} hands over to ${payload.to}`
    default:
      return undefined
  }
}
