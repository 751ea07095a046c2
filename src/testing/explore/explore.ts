/** Explores every order in which a run may go, and checks rules at each state. */
import type { AnyStateMachine } from 'xstate'
import { asDefinition, type AnyAgent, type AgentDefinition } from '../../runtime/definition/definition.ts'
import { exploreMachine, type MachineExploreOptions } from './explore-machine.ts'
import { readExplore, type ExploreOptions } from './options.ts'
import type { ExploreReport } from './report/report.ts'
import { ConfigurationError } from '../../errors.ts'
import type { InterpreterName } from '../../runtime/interpreter/interpreter.ts'
import { assertRuleNames, explorationOf } from './exploration.ts'
import { exploreStates } from './exploring.ts'
import { sequenceDiagram } from './report/diagram.ts'
import { builtInRules } from './rules/built-in.ts'
import { Monitor } from './rules/monitor.ts'

/**
 * Explores the runs of an agent: every outcome of every model call, tool and function, in every order, with cancels,
 * crashes and timers at any state. No model and no tool is called. Rejects with a `ConfigurationError` for a wrong option.
 */
export function explore<Options extends object>(
  agent: AnyAgent<Options>,
  options?: ExploreOptions<Options>,
): Promise<ExploreReport>
/**
 * Explores a machine that is no agent: every outcome of its children, every event from outside and every delay, in every
 * order, with crashes at any state. Rejects with a `ConfigurationError` for a wrong option.
 */
export function explore<Machine extends AnyStateMachine>(
  machine: Machine,
  options: MachineExploreOptions<Machine>,
): Promise<ExploreReport<string>>
export async function explore(
  given: AnyAgent | AnyStateMachine,
  options: object = {},
): Promise<ExploreReport<string>> {
  return isMachine(given)
    ? exploreMachine(given, options as MachineExploreOptions)
    : exploreAgent(asDefinition(given), options)
}

const defaultStates = 20_000

/** The exploration of an agent. */
export async function exploreAgent(
  agent: AgentDefinition,
  options: ExploreOptions,
  interpreter?: InterpreterName,
): Promise<ExploreReport<string>> {
  const where = `explore("${agent.id}")`
  const read = readExplore(options, where)
  const { subject, registry, space, budget, functions, alphabet } = explorationOf(
    agent,
    read,
    where,
    interpreter,
  )
  const monitor = new Monitor(read.rules ?? {})
  assertRuleNames(monitor.names, registry, where)
  const report = await exploreStates(
    {
      subject,
      space,
      rules: builtInRules({ modelCalls: budget?.modelCalls }),
      monitor,
      states: read.limits?.states ?? defaultStates,
      crashes: read.adversary?.crash !== false,
      ends: true,
      rechecked: read.recheck === false ? undefined : functions,
    },
    ({ state }, _path, end) => sequenceDiagram(state.recorder.log.toArray(), end),
    () => ({ unsaid: alphabet.unsaid, functionCalls: functions.size }),
  )
  // A condition may ask more once something has happened.
  assertRuleNames(monitor.names, registry, where)
  assertApart(monitor, read, where)
  return report
}

/** A rule cannot tell interchangeable agents apart. */
function assertApart(monitor: Monitor, { interchangeable = [] }: ExploreOptions, where: string): void {
  const named = monitor.names.agents.find((agent) => interchangeable.some((group) => group.includes(agent)))
  if (named === undefined) return
  throw new ConfigurationError(
    `${where}: a rule names the agent "${named}", which is interchangeable with others.`,
  )
}

/** Also a machine that is made by another copy of xstate. */
function isMachine(given: AnyAgent | AnyStateMachine): given is AnyStateMachine {
  return 'implementations' in given && 'root' in given
}
