/**
 * The actor logic of the machines of a run: it provides their children and listens to their events. One logic runs any
 * agent: it dispatches on the agent id of the request.
 */
import { delegationPrefix } from '../../actors/strict/ids.ts'
import type {
  AnyActorRef,
  AnyActorScope,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  InputFrom,
  Snapshot,
} from 'xstate'
import { doorOf } from '../../actors/effects/effect.ts'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import { once } from '../../actors/values/once.ts'
import type { AgentLogic } from '../../machines/contract/agent.ts'
import { compactionMachine } from '../../machines/compaction.ts'
import { completionMachine } from '../../machines/completion.ts'
import { decisionMachine } from '../../machines/decision.ts'
import { delegationMachine } from '../../machines/delegation.ts'
import { screeningMachine } from '../../machines/screening.ts'
import { toolCallMachine } from '../../machines/tool-call.ts'
import {
  tableInterpreter,
  xstateInterpreter,
  type Interpreter,
  type InterpreterName,
} from '../interpreter/interpreter.ts'
import { hear } from '../interpreter/lean-actor.ts'
import type { RunDoor } from './run-door.ts'

interface HeardOptions<Machine extends AnyStateMachine> {
  /** Default: XState. */
  readonly interpreter?: Interpreter
  /** Adds the facts of the run to the input of an actor. */
  readonly complete?: (input: InputFrom<Machine>, door: RunDoor) => InputFrom<Machine>
  /** Listens in place of the run: a machine of a user's emits events of its own. */
  readonly listener?: (event: AnyEventObject) => void
}

/** Returns the logic of `machine`; the run listens to the events of its actors. */
export function heard<Machine extends AnyStateMachine>(
  machine: Machine,
  { interpreter = xstateInterpreter, complete = (input) => input, listener }: HeardOptions<Machine> = {},
): Machine {
  return Object.create(machine, {
    getInitialSnapshot: {
      value: (scope: AnyActorScope, input: InputFrom<Machine>) => {
        const door = runDoorOf(scope.self)
        if (listener === undefined) door.listenTo(scope.self)
        else hear(scope.self, listener)
        return interpreter.getInitialSnapshot(machine, scope, complete(input, door))
      },
    },
    transition: {
      value: (snapshot: AnyMachineSnapshot, event: AnyEventObject, scope: AnyActorScope) =>
        interpreter.transition(snapshot, event, scope),
    },
    // `start` of a machine would start its first children before it emits its events; its own actions start them after.
    start: { value: () => undefined },
  }) as Machine
}

function runDoorOf(actor: AnyActorRef): RunDoor {
  return doorOf(actor) as RunDoor
}

/** The logics of one interpreter: that of an agent, and of the children of its charts. */
class Logics {
  readonly agent: AgentLogic
  readonly #interpreter: Interpreter
  /** Charts with their children provided, by the chart factory of the pattern; each is made once. */
  readonly #provided = new WeakMap<() => AnyStateMachine, AnyStateMachine>()
  readonly #children = once(() => this.#makeChildren())

  constructor(interpreter: Interpreter) {
    this.#interpreter = interpreter
    this.agent = {
      getInitialSnapshot: (scope, request) => {
        const door = runDoorOf(scope.self)
        door.listenTo(scope.self)
        const { chart, input } = door.prepare(request)
        const machine = this.#withChildren(chart)
        return interpreter.getInitialSnapshot(
          machine,
          scope as AnyActorScope,
          input,
        ) as object as Snapshot<never>
      },
      transition: (snapshot, event, scope) =>
        interpreter.transition(
          snapshot as object as AnyMachineSnapshot,
          event,
          scope as AnyActorScope,
        ) as object as Snapshot<never>,
      getPersistedSnapshot: (snapshot) => machineIn(snapshot).getPersistedSnapshot(snapshot as never),
    }
  }

  #withChildren(chart: () => AnyStateMachine): AnyStateMachine {
    const known = this.#provided.get(chart)
    if (known !== undefined) return known
    const machine = chart().provide({ actors: this.#children() })
    this.#provided.set(chart, machine)
    return machine
  }

  #makeChildren() {
    const interpreter = this.#interpreter
    const compaction = heard(compactionMachine(), { interpreter })
    return {
      toolCall: heard(toolCallMachine(), {
        interpreter,
        complete: (input, door) => decided(input, door, input.agent, input.call.name),
      }),
      compaction,
      completion: heard(completionMachine(), { interpreter }),
      screening: heard(screeningMachine(), { interpreter }),
      decision: heard(decisionMachine().provide({ actors: { compaction } }), { interpreter }),
      delegation: heard(delegationMachine().provide({ actors: { agent: this.agent } }), {
        interpreter,
        complete: (input, door) => decided(input, door, input.profile.id, delegationPrefix + input.key),
      }),
    }
  }
}

const byTables = once(() => new Logics(tableInterpreter))
const byXState = once(() => new Logics(xstateInterpreter))

/** The logic of any agent. */
export function agentLogic(interpreter: InterpreterName): AgentLogic {
  return (interpreter === 'tables' ? byTables() : byXState()).agent
}

function machineIn(snapshot: unknown): AnyStateMachine {
  return (snapshot as AnyMachineSnapshot).machine
}

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
