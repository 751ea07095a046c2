/**
 * The actor logic of the machines of a run: it provides their children and listens to their events. One logic runs any
 * agent: it dispatches on the agent id of the request.
 */
import type {
  AnyActorRef,
  AnyActorScope,
  AnyMachineSnapshot,
  AnyStateMachine,
  InputFrom,
  Snapshot,
} from 'xstate'
import { doorOf } from '../../actors/effect.ts'
import type { EffectOutcome } from '../../actors/effect-kinds.ts'
import { delegationPrefix } from '../../actors/toolset.ts'
import { once } from '../../actors/values/once.ts'
import type { AgentLogic } from '../../machines/contract/agent.ts'
import { compactionMachine } from '../../machines/compaction.ts'
import { completionMachine } from '../../machines/completion.ts'
import { decisionMachine } from '../../machines/decision.ts'
import { delegationMachine } from '../../machines/delegation.ts'
import { toolCallMachine } from '../../machines/tool-call.ts'
import type { RunDoor } from './run-door.ts'

/**
 * Returns the logic of `machine`; the run listens to the events of its actors. `complete` adds the facts of the run to
 * the input of an actor.
 */
export function heard<Machine extends AnyStateMachine>(
  machine: Machine,
  complete: (input: InputFrom<Machine>, door: RunDoor) => InputFrom<Machine> = (input) => input,
): Machine {
  return Object.create(machine, {
    getInitialSnapshot: {
      value: (scope: AnyActorScope, input: InputFrom<Machine>) => {
        const door = runDoorOf(scope.self)
        door.listenTo(scope.self)
        return machine.getInitialSnapshot(scope, complete(input, door))
      },
    },
    // `start` of a machine would start its first children before it emits its events; its own actions start them after.
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

/** Charts with their children provided, by the chart factory of the pattern; each is made once. */
const provided = new WeakMap<() => AnyStateMachine, AnyStateMachine>()

function withChildren(chart: () => AnyStateMachine): AnyStateMachine {
  const known = provided.get(chart)
  if (known !== undefined) return known
  const machine = chart().provide({ actors: children() })
  provided.set(chart, machine)
  return machine
}

const compaction = /* @__PURE__ */ heard(compactionMachine)

const children = once(() => ({
  toolCall: heard(toolCallMachine, (input, door) => decided(input, door, input.agent, input.call.name)),
  compaction,
  completion: heard(completionMachine),
  decision: heard(decisionMachine.provide({ actors: { compaction } })),
  delegation: heard(delegationMachine.provide({ actors: { agent: agentLogic } }), (input, door) =>
    decided(input, door, input.profile.id, delegationPrefix + input.key),
  ),
}))

/** With the decision that holds for all calls of the tool by the agent. */
function decided<Input extends { readonly standing?: EffectOutcome<'signal'> }>(
  input: Input,
  door: RunDoor,
  agent: string,
  tool: string,
): Input {
  const standing = door.decisionOn(agent, tool)
  return standing === undefined ? input : { ...input, standing }
}
