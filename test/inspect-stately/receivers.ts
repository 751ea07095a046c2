/** What receivers see of an inspector's messages. */
import type { StatelyActorEvent, StatelyInspectionEvent } from '@statelyai/inspect'

/** The last message of a run: its root is done. */
export function isRunEnd(message: StatelyInspectionEvent): boolean {
  if (message.type !== '@xstate.snapshot' || message.sessionId !== message.rootId) return false
  return message.snapshot.status === 'done'
}

export function actorsIn(messages: readonly StatelyInspectionEvent[]): StatelyActorEvent[] {
  return messages.filter((message) => message.type === '@xstate.actor')
}

export function namesIn(messages: readonly StatelyInspectionEvent[]): string[] {
  return actorsIn(messages).map(({ name }) => name)
}
