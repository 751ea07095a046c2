/** Parameters of actions, read off the events by which the children of the planner report. */
import { failure } from '../params.ts'
import type { Report } from '../loop/record.ts'
import type { LoopContext } from '../loop/context.ts'
import type { Called } from '../loop/tool-state.ts'
import type { Decided } from './settling.ts'
import { workOf } from './work.ts'

interface Done {
  readonly event: { readonly actorId: string; readonly output: Report }
}

interface Crashed {
  readonly event: { readonly actorId: string; readonly error: unknown }
}

/** The call that was reported, if it is one. */
export const calledOf = ({ context, event }: Done & { readonly context: LoopContext }): Called => ({
  child: event.actorId,
  name: workOf(context).tasks[event.actorId]?.tool ?? '',
})

/** What `settleStep` is given: a decision brings its answer along, a call is on record. */
export const endOf = ({ event }: Done): { child: string; decided?: Decided } =>
  'decision' in event.output ? { child: event.actorId, decided: event.output } : { child: event.actorId }

export const crashedEndOf = ({ event }: Crashed): { child: string; decided?: Decided } =>
  event.actorId.startsWith('decision:')
    ? { child: event.actorId, decided: { decision: 'failed', error: failure({ event }) } }
    : { child: event.actorId }
