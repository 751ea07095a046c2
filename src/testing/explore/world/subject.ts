/** The run that is explored: its first entry, its agents, and its functions. Time stands still in it. */
import type { AgentParts } from '../../../runtime/definition/definition.ts'
import type { Registry } from '../../../runtime/definition/registry.ts'
import type { StateOptions } from '../../../runtime/state/state-door.ts'
import type { RunChild } from '../../../runtime/state/root-agents.ts'
import type { InterpreterName } from '../../../runtime/interpreter/interpreter.ts'
import type { RunStarted } from '../../../runtime/journal/journal.ts'
import type { SupervisorOptions } from '../../../runtime/options/options.ts'

export interface Subject {
  readonly started: RunStarted
  readonly registry: Registry
  /** The options of the run; they hold its functions. */
  readonly functions: SupervisorOptions
  readonly partsOf?: (agentId: string) => Promise<AgentParts>
  /** Set for a machine that is no agent. */
  readonly rootLogic?: RunChild
  /** Default: by tables. */
  readonly interpreter?: InterpreterName
}

/** The options of its state, in the run and in a replay. */
export function stateOptions({ started, registry, rootLogic, interpreter }: Subject): StateOptions {
  return {
    started,
    registry,
    rootLogic,
    interpreter,
    timers: { setTimeout: () => undefined, clearTimeout: () => undefined },
    report: () => undefined, // an exception of a user's function is an outcome, and outcomes are explored
  }
}
