/** The door of a run, by which its actors reach their engine. */
import type { AnyActorRef, AnyStateMachine } from 'xstate'
import type { Door } from '../../actors/effects/effect.ts'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { AgentInput, AgentRequest } from '../../machines/contract/agent.ts'

/** The door of a run: beyond effects, it prepares agents and listens to actors. */
export interface RunDoor extends Door {
  /**
   * Returns the chart factory and the input of the requested agent, or of its stand-in where the agent runs elsewhere.
   */
  prepare(request: AgentRequest): {
    readonly chart: () => AnyStateMachine
    readonly input: AgentInput | AgentRequest
  }
  /** The decision of a person that holds for all calls of a tool by an agent; `undefined`: there is none. */
  decisionOn(agent: string, toolName: string): EffectOutcome<'signal'> | undefined
  /** Listens to the events of an actor of the run, from its first event. */
  listenTo(actor: AnyActorRef): void
}

/** The calls of the root of a run. */
export interface RootCalls {
  /** The root received a cancel, which goes through the journal like any other, or was stopped: the run does not vanish. */
  cancelled(reason: string | undefined): void
}

/** The door of a run, with the calls of its root. */
export type RootDoor = RunDoor & RootCalls
