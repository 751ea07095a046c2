/**
 * The machines as they run: with their children provided, and their events heard. One source runs any agent: it
 * dispatches on the id of the agent that it is asked for.
 */
import type { AnyActorRef, AnyActorScope, AnyMachineSnapshot, AnyStateMachine, Snapshot } from 'xstate'
import { doorOf, type Door } from '../actors/effect.ts'
import { once } from '../actors/once.ts'
import type { AgentInput, AgentLogic, AgentRequest, AgentParts } from '../machines/agent.ts'
import { outputParts, type LoopContext } from '../machines/loop/context.ts'
import { completionMachine } from '../machines/completion.ts'
import { debateMachine } from '../machines/debate.ts'
import { decisionMachine } from '../machines/decision.ts'
import { delegationMachine } from '../machines/delegation.ts'
import { dispatchMachine } from '../machines/dispatch.ts'
import { metaRouterMachine } from '../machines/meta-router.ts'
import { fanOutMachine } from '../machines/fan-out.ts'
import { planThenExecuteMachine } from '../machines/plan-then-execute.ts'
import { reactMachine } from '../machines/react.ts'
import { reflexionMachine } from '../machines/reflexion.ts'
import { routerMachine } from '../machines/router.ts'
import { supervisorMachine } from '../machines/supervisor.ts'
import { toolCallMachine } from '../machines/tool-call.ts'
import { toErrorData } from '../errors.ts'
import { crashed } from './crashed.ts'
import type { Pattern } from './pattern.ts'

/** What the runtime's door does beyond effects. */
export interface RunDoor extends Door {
  /** Pattern and input of the agent that is asked for, or what stands for it here. */
  prepare(
    request: AgentRequest,
  ):
    | { readonly pattern: Pattern; readonly input: AgentInput }
    | { readonly remote: AnyStateMachine; readonly input: AgentRequest }
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
    const prepared = door.prepare(request)
    const machine = 'remote' in prepared ? prepared.remote : machines[prepared.pattern]()
    return machine.getInitialSnapshot(scope as AnyActorScope, prepared.input) as Snapshot<never>
  },
  transition: (snapshot, event, scope) =>
    machineIn(snapshot).transition(snapshot as never, event, scope as AnyActorScope) as Snapshot<never>,
  getPersistedSnapshot: (snapshot) => machineIn(snapshot).getPersistedSnapshot(snapshot as never),
}

function machineIn(snapshot: unknown): AnyStateMachine {
  return (snapshot as AnyMachineSnapshot).machine
}

const machines: Readonly<Record<Pattern, () => AnyStateMachine>> = {
  react: once(() => reactMachine.provide({ actors: children() })),
  supervisor: once(() => supervisorMachine.provide({ actors: children() })),
  router: once(() => routerMachine.provide({ actors: children() })),
  'plan-then-execute': once(() => planThenExecuteMachine.provide({ actors: children() })),
  'fan-out': once(() => fanOutMachine.provide({ actors: children() })),
  'meta-router': once(() => metaRouterMachine.provide({ actors: children() })),
  reflexion: once(() => reflexionMachine.provide({ actors: children() })),
  debate: once(() => debateMachine.provide({ actors: children() })),
  dispatch: once(() => dispatchMachine.provide({ actors: children() })),
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
