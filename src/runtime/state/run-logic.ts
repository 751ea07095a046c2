/**
 * The actor logic of the root of a run. Its one child is the root agent, and the door of the run is open on it. It
 * keeps the run id alone: everything else is in the journal. A failure of its agent does not fail it.
 */
import type { ActorLogic, ActorRef, AnyActorRef, AnyEventObject, EventObject, Snapshot } from 'xstate'
import { doorOf, type Door } from '../../actors/effects/effect.ts'
import type { RootCalls } from './run-door.ts'
import type { FinalResult } from '../handle/result.ts'

export interface RunInput {
  readonly door: {
    readonly runId: string
    /** Opens the door on the root of the run, and returns the root agent. */
    attach(root: AnyActorRef): AnyActorRef
  }
}

export type RunRootEvent =
  | { readonly type: 'cancel'; readonly reason?: string }
  /** The end of the run is on record. */
  | { readonly type: 'run.ended'; readonly result: FinalResult }
  /** The run cannot go on in this process. */
  | { readonly type: 'run.lost'; readonly error: unknown }
  /** A successor took over the conversation of the root agent. */
  | { readonly type: 'run.handedOver'; readonly agent: AnyActorRef }
  | { readonly type: 'xstate.stop' }

export type RunSnapshot<Output = FinalResult> = Snapshot<Output> & {
  readonly runId: string
  readonly children: Readonly<Record<string, ActorRef<Snapshot<unknown>, EventObject>>>
}

export const runLogic: ActorLogic<RunSnapshot, RunRootEvent, RunInput> = {
  getInitialSnapshot: ({ self }, { door }) => {
    const agent = door.attach(self)
    const children = { [agent.id]: agent }
    return { status: 'active', output: undefined, error: undefined, runId: door.runId, children }
  },
  transition: (snapshot, event, { self }) => transitionRun(snapshot, event, self),
  getPersistedSnapshot: ({ status, runId, output }) =>
    ({ status, runId, output, error: undefined }) as object as Snapshot<unknown>,
}

export function transitionRun<S extends RunSnapshot>(
  snapshot: S,
  event: AnyEventObject,
  self: AnyActorRef,
): S {
  switch (event.type) {
    case 'cancel':
      rootDoorOf(self).cancelled(event['reason'] as string | undefined)
      return snapshot
    case 'run.handedOver': {
      const agent = event['agent'] as AnyActorRef
      return { ...snapshot, children: { [agent.id]: agent } }
    }
    case 'run.ended':
      return { ...snapshot, status: 'done', output: event['result'] as FinalResult, error: undefined }
    case 'run.lost':
      return { ...snapshot, status: 'error', output: undefined, error: event['error'] }
    case 'xstate.stop':
      rootDoorOf(self).cancelled('The actor of the run was stopped.')
      return { ...snapshot, status: 'stopped', output: undefined, error: undefined }
    default:
      return snapshot
  }
}

/** Of a root whose actors have left memory: it has no children, and sends its door what it is sent. */
export const idleRunLogic: ActorLogic<RunSnapshot, RunRootEvent, { readonly runId: string }> = {
  ...runLogic,
  getInitialSnapshot: (_, { runId }) => ({
    status: 'active',
    output: undefined,
    error: undefined,
    runId,
    children: {},
  }),
}

function rootDoorOf(root: AnyActorRef): RootCalls {
  return doorOf(root) as Door & RootCalls
}
