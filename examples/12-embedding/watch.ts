/** What is seen of the app: its states, and the events of the run that it hosts. */
import type { ActorRefFrom, Subscription } from 'xstate'
import type { RunEvent } from 'troupe'
import { row } from '../support/report.ts'
import type { Ticket } from './ticket.ts'

/** `seen` is the number of the last event that was shown: a restored actor tells its run from the beginning again. */
export function watch(ticket: ActorRefFrom<Ticket>, seen: { seq: number }): Subscription {
  let last: unknown
  const watching = ticket.subscribe(({ value }) => {
    if (value !== last) row('app', value, 8)
    last = value
  })
  ticket.getSnapshot().children.desk?.on('*', (event) => {
    if (event.type === 'signal-refused' || event.seq === undefined || event.seq <= seen.seq) return
    seen.seq = event.seq
    const what = told(event)
    if (what !== undefined) row(event.agent, what, 8)
  })
  return watching
}

function told({ type, payload }: RunEvent): string | undefined {
  switch (type) {
    case 'run-start':
      return `is asked: ${payload.task}`
    case 'delegation-start':
      return `asks ${payload.agentName}: ${payload.prompt}`
    case 'delegation-end':
      return `hears from ${payload.agentName}: ${payload.text}`
    case 'run-finish':
      return payload.outcome
    default:
      return undefined
  }
}
