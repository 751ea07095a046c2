/** Parameters of actions, read off the events by which the children of the planner report. */
import { failure } from '../params.ts'
import type { Report } from '../loop/record.ts'
import type { Decided } from './settling.ts'

interface Done {
  readonly event: { readonly actorId: string; readonly output: Report }
}

interface Crashed {
  readonly event: { readonly actorId: string; readonly error: unknown }
}

/** What `settleStep` is given: a decision brings its answer along, a call is on record. */
export const endOf = ({ event }: Done): { child: string; decided?: Decided } =>
  'decision' in event.output ? { child: event.actorId, decided: event.output } : { child: event.actorId }

export const crashedEndOf = ({ event }: Crashed): { child: string; decided?: Decided } =>
  event.actorId.startsWith('decision:')
    ? { child: event.actorId, decided: { decision: 'failed', error: failure({ event }) } }
    : { child: event.actorId }
