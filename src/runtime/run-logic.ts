/**
 * The root of a run: an actor logic of our own. Its one child is the root agent; the door of the run stands open
 * on it. It persists the run id alone: everything else is in the journal.
 */
import type { ActorLogic, AnyActorLogic, AnyActorRef, Snapshot } from 'xstate'
import { openDoor } from '../actors/effect.ts'
import { createChild } from '../actors/xstate-internals.ts'
import { toErrorData } from '../errors.ts'
import type { AgentOutput } from '../machines/agent.ts'
import type { RunDoor } from './agent-logic.ts'
import { crashed } from './crashed.ts'

export interface RunInput {
  readonly runId: string
  /** The one child: the root agent. */
  readonly child: {
    readonly id: string
    readonly logic: AnyActorLogic
    readonly input: unknown
    /** Reads the output of a child that is no agent. */
    readonly outputOf?: (output: unknown) => AgentOutput
  }
  readonly door: RunDoor & {
    /** The root agent has ended. */
    ended(output: AgentOutput): void
    /** Somebody sent the root a cancel: it goes through the journal like any other. */
    cancelled(reason: string | undefined): void
    /** Somebody stopped the root; a run does not vanish, it is cancelled. */
    stopped(): void
  }
}

export type RunActorEvent =
  | { readonly type: 'cancel'; readonly cause: 'cancel'; readonly reason?: string }
  | { readonly type: 'xstate.stop' }

type ChildEvent = { readonly type: string; readonly output?: unknown; readonly error?: unknown }

export type RunSnapshot = Snapshot<AgentOutput> & {
  readonly input: RunInput
  readonly children: Readonly<Record<string, AnyActorRef>>
}

export const runLogic: ActorLogic<RunSnapshot, RunActorEvent, RunInput> = {
  getInitialSnapshot: ({ self }, input) => {
    openDoor(self, input.door)
    const { id, logic, input: childInput } = input.child
    const child = createChild(logic, self, { id, input: childInput, src: 'agent' })
    return { status: 'active', output: undefined, error: undefined, input, children: { [id]: child } }
  },
  start: ({ children }) => {
    for (const child of Object.values(children)) child.start()
  },
  transition: (snapshot, event) => {
    const { input } = snapshot
    const reported = event as ChildEvent
    if (event.type === 'cancel') {
      input.door.cancelled(event.reason)
      return snapshot
    }
    if (event.type === 'xstate.stop') {
      input.door.stopped()
      return { ...snapshot, status: 'stopped', output: undefined, error: undefined }
    }
    if (reported.type.startsWith('xstate.done.actor.')) {
      const { outputOf } = input.child
      return end(snapshot, outputOf?.(reported.output) ?? (reported.output as AgentOutput))
    }
    if (reported.type.startsWith('xstate.error.actor.')) {
      return end(snapshot, crashed(toErrorData(reported.error, 'MACHINE_FAILED')))
    }
    return snapshot
  },
  getPersistedSnapshot: ({ status, input }) =>
    ({ status, runId: input.runId }) as object as Snapshot<unknown>,
}

function end(snapshot: RunSnapshot, output: AgentOutput): RunSnapshot {
  snapshot.input.door.ended(output)
  return { ...snapshot, status: 'done', output, error: undefined }
}
