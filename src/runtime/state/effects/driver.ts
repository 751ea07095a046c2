/** What a run's state tells whoever works for the run. A reader of the run has none: nothing is performed. */
import type { AgentOutput } from '../../../machines/contract/records.ts'
import type { MachineEvent } from '../../../machines/contract/events.ts'
import type { PendingEffect } from './pending-effect.ts'

export interface Driver {
  /** `run.started` is delivered. The root agent has not begun. */
  started(): void
  /** The effect is to start when the delivery has ended, if it is still wanted then. */
  wanted(effect: PendingEffect): void
  /** A machine lets go of the effect. */
  lettingGo(effect: PendingEffect): void
  /** A paused timer runs again. */
  unpaused(effect: PendingEffect): void
  /** The time that the effect may take is shorter from now on. */
  limited(effect: PendingEffect): void
  /** The outcome of an effect is delivered. The actor has not received it. */
  delivered(key: string): void
  /** The clock of the run was started, paused or stopped. */
  clockChanged(): void
  /** A machine has emitted an event, which is recorded. `path`: of the machine. */
  emitted(path: string, event: MachineEvent): void
  /** The run is suspended. The event is not recorded. */
  suspending(): void
  /** The delivery that suspended the run has ended. */
  suspended(): void
  /** The root agent, or the last of its successors, has ended. `run.settled` is to be appended. */
  ended(output: AgentOutput): void
  /** `run.settled` is delivered, and the events have ended. */
  settled(output: AgentOutput): void
  /** The root actor was told to cancel, or was stopped. */
  rootCancelled(reason: string): void
}
