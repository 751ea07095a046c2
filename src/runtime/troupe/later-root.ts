/**
 * The root of a later run of an actor. The actor itself is the root of its first run, which may still be ending when the
 * actor is started again: each run needs a root of its own, for its effects and for the reports of its agent.
 */
import type { ActorLogic, AnyActorRef, EventObject, Snapshot } from 'xstate'
import { createChild, parentOf, statusOf, takeReports } from '../../actors/xstate-internals.ts'

type LaterRootEvent =
  | { readonly type: 'run.over' }
  /** A successor took over the conversation of the root agent: the actor shows it as its child. */
  | { readonly type: 'run.handedOver'; readonly agent: AnyActorRef }

const laterRootLogic: ActorLogic<Snapshot<undefined>, LaterRootEvent> = {
  getInitialSnapshot: () => ({ status: 'active', output: undefined, error: undefined }),
  transition: (snapshot, event: EventObject, { self }) => {
    switch (event.type) {
      case 'run.over':
        return { status: 'done', output: undefined, error: undefined }
      case 'run.handedOver': {
        const actor = parentOf(self)
        if (actor !== undefined && statusOf(actor) === 'active') actor.send(event)
        return snapshot
      }
      default:
        return snapshot
    }
  },
  getPersistedSnapshot: (snapshot) => snapshot,
}

/** Starts the root of the run `runId` below `actor`. */
export function startLaterRoot(actor: AnyActorRef, runId: string): AnyActorRef {
  const root = createChild(laterRootLogic, actor, { id: runId, input: undefined, src: 'run' })
  takeReports(actor, runId, () => undefined) // the actor may have been stopped when the run is over
  root.start()
  return root
}

/** Ends a later root: its run is over. */
export function endLaterRoot(root: AnyActorRef): void {
  root.send({ type: 'run.over' })
}
