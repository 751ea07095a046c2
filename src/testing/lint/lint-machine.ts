/** `lintMachine`: where a machine of an application takes a run that has failed for one that has not. It is pure. */
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { agentMarkOf, failsWithItsRun } from '../../machines/contract/agent-mark.ts'
import { aName, having, listOf } from '../../actors/strict/checks.ts'
import {
  anObject,
  isObject,
  readOptions,
  required,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'

/** A likely fault that `lintMachine` has found. */
export interface MachineFinding {
  /** Stable: branch on it, not on messages. */
  readonly code: 'failure-as-done'
  readonly severity: 'warning'
  /** The state, and the actor that it invokes: `ticket.drafting.writer`. */
  readonly path: string
  /** The problem, and a way to mend it. */
  readonly message: string
}

/** A finding of `lintMachine` that is intended. */
export interface AcceptedMachineFinding {
  readonly path: string
  /** Why it is intended, for readers of the test. */
  readonly reason: string
}

/** The options of `lintMachine`. */
export interface LintMachineOptions {
  /** Findings that are intended. Default: none. */
  readonly accept?: readonly AcceptedMachineFinding[]
}

const acceptedFields: Fields<AcceptedMachineFinding> = { path: required(aName), reason: required(aName) }

const fields = {
  accept: withDefault(listOf(anObject(acceptedFields, { word: 'field' })), []),
} satisfies Fields<LintMachineOptions>

const aMachine = having('a machine of XState', 'transition', 'provide', 'getInitialSnapshot')

/**
 * Returns each state of a machine that invokes an agent (`troupe.logic`) and takes its `onDone` without a guard: `onDone` is
 * taken for a run that has failed too. An agent with `failed: 'error'` has no such finding. Agents that the machine spawns are
 * not seen. Throws a `ConfigurationError` for a value that is no machine, and for a wrong option.
 */
export function lintMachine(
  machine: AnyStateMachine,
  options: LintMachineOptions = {},
): readonly MachineFinding[] {
  aMachine(machine, 'lintMachine: the machine')
  const { accept = [] } = readOptions<LintMachineOptions>(options, 'lintMachine', fields)
  const actors = machine.implementations.actors as Readonly<Record<string, unknown>>
  const isAccepted = (found: MachineFinding): boolean => accept.some(({ path }) => path === found.path)
  return nodesBelow(machine.root)
    .flatMap((node) =>
      node.invoke
        .filter((_, index) => {
          const logic = givenSource(node, index)
          const agent = typeof logic === 'string' ? actors[logic] : logic
          return agentMarkOf(agent) === 'run' && !failsWithItsRun(agent)
        })
        .filter(({ id }) => takesAnyEnd(node, id))
        .map(({ id }): MachineFinding => found([machine.id, ...node.path, id].join('.'))),
    )
    .filter((one) => !isAccepted(one))
}

function found(path: string): MachineFinding {
  return {
    code: 'failure-as-done',
    severity: 'warning',
    path,
    message:
      "Its onDone has no guard, and is taken for a run that has failed too: guard it by event.output.outcome, or make the logic by troupe.logic(agent, { failed: 'error' }).",
  }
}

/** The name of a source, or the logic itself, as it is written in the machine. */
function givenSource(node: AnyStateNode, index: number): unknown {
  const given = node.config.invoke as unknown
  const invoked: readonly unknown[] = Array.isArray(given) ? given : [given]
  const one = invoked[index]
  return isObject(one) ? Reflect.get(one, 'src') : undefined
}

/** Whether the first transition of the end of the actor has no guard: those after it are never taken. */
function takesAnyEnd(node: AnyStateNode, id: string): boolean {
  const [first] = node.transitions.get(`xstate.done.actor.${id}`) ?? []
  return first !== undefined && first.guard === undefined
}

function nodesBelow(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(nodesBelow)]
}
