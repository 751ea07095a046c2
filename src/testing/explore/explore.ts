/** Explores every order in which a run may go, and checks rules at each state. */
import type { AnyStateMachine } from 'xstate'
import { asDefinition, type AnyAgent } from '../../runtime/definition/definition.ts'
import { exploreAgent } from './explore-agent.ts'
import { exploreMachine } from './explore-machine.ts'
import type { MachineExploreOptions } from './machine-options.ts'
import type { ExploreOptions } from './options.ts'
import type { ExploreReport } from './report/report.ts'

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

/** Also a machine that is made by another copy of xstate. */
function isMachine(given: AnyAgent | AnyStateMachine): given is AnyStateMachine {
  return 'implementations' in given && 'root' in given
}
