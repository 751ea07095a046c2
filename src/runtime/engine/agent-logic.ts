/**
 * The machines as they run: with their children provided, and their events heard. One source runs any agent: it
 * dispatches on the id of the agent that it is asked for.
 */
import type { AnyActorRef, AnyActorScope, AnyMachineSnapshot, AnyStateMachine, Snapshot } from 'xstate'
import { doorOf, type Door } from '../../actors/effect.ts'
import { once } from '../../actors/values/once.ts'
import type { AgentInput, AgentLogic, AgentRequest, AgentParts } from '../../machines/contract/agent.ts'
import { outputParts, type LoopContext } from '../../machines/loop/changes/context.ts'
import { completionMachine } from '../../machines/completion.ts'
import { decisionMachine } from '../../machines/decision.ts'
import { delegationMachine } from '../../machines/delegation.ts'
import { toolCallMachine } from '../../machines/tool-call.ts'
import { toErrorData } from '../../errors.ts'
import { crashed } from './crashed.ts'

/** What the runtime's door does beyond effects. */
export interface RunDoor extends Door {
  /** What makes the chart of the agent that is asked for, or of what stands for it here, and its input. */
  prepare(request: AgentRequest): {
    readonly chart: () => AnyStateMachine
    readonly input: AgentInput | AgentRequest
  }
  /** Hears the events of an actor of the run, from the first. */
  listenTo(actor: AnyActorRef): void
}

/** The logic of `machine`, with its events heard by the run that it is part of. */
export function heard<Machine extends AnyStateMachine>(machine: Machine): Machine {
  return Object.create(machine, {
    getInitialSnapshot: {
      value: (scope: AnyActorScope, input: never) => {
        runDoorOf(scope.self).listenTo(scope.self)
        return machine.getInitialSnapshot(scope, input)
      },
    },
    // A machine starts its first children before it emits what it announced; its own actions start them after.
    start: { value: () => undefined },
  }) as Machine
}

function runDoorOf(actor: AnyActorRef): RunDoor {
  return doorOf(actor) as RunDoor
}

export const agentLogic: AgentLogic = {
  getInitialSnapshot: (scope, request) => {
    const door = runDoorOf(scope.self)
    door.listenTo(scope.self)
    const { chart, input } = door.prepare(request)
    return withChildren(chart).getInitialSnapshot(scope as AnyActorScope, input) as Snapshot<never>
  },
  transition: (snapshot, event, scope) =>
    machineIn(snapshot).transition(snapshot as never, event, scope as AnyActorScope) as Snapshot<never>,
  getPersistedSnapshot: (snapshot) => machineIn(snapshot).getPersistedSnapshot(snapshot as never),
}

function machineIn(snapshot: unknown): AnyStateMachine {
  return (snapshot as AnyMachineSnapshot).machine
}

/** By what makes the chart of a pattern: the same with its children, made once. */
const provided = new WeakMap<() => AnyStateMachine, AnyStateMachine>()

function withChildren(chart: () => AnyStateMachine): AnyStateMachine {
  const known = provided.get(chart)
  if (known !== undefined) return known
  const machine = chart().provide({ actors: children() })
  provided.set(chart, machine)
  return machine
}

const children = once(() => ({
  toolCall: heard(toolCallMachine),
  completion: heard(completionMachine),
  decision: heard(decisionMachine),
  delegation: heard(delegationMachine.provide({ actors: { agent: agentLogic } })),
}))

/** What an agent has so far, seen from outside while it is under way. */
export function partialOutput(agent: AnyActorRef): AgentParts {
  const { context, error } = agent.getSnapshot() as { context?: LoopContext; error?: unknown }
  return context === undefined ? crashed(toErrorData(error, 'MACHINE_FAILED')) : outputParts(context)
}
