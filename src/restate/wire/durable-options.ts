/** The options of a run on Restate: those of its agent that are data. Functions belong to the definition. */
import type { DelegationOptions } from '../../runtime/options/options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { RunSpec } from '../../runtime/run/create-run.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { optionOf } from '../../runtime/options/settings.ts'

/** Options that are functions, or hold some: no part of them can be sent. */
export type Functional =
  | 'stopWhen'
  | 'onStepFinish'
  | 'onFinish'
  | 'onIterationComplete'
  | 'completion'
  | 'structuredOutput'
  | 'onError'

/** Options of which a part can be sent. */
export interface Remaining {
  readonly delegation: Omit<DelegationOptions, 'onDelegationStart' | 'onDelegationComplete' | 'messageFilter'>
  /** An empty list replaces that of the definition. */
  readonly inputProcessors: readonly []
  readonly outputProcessors: readonly []
}

export type DataOf<Options> = {
  [Name in keyof Options as Exclude<Name, Functional>]: Name extends keyof Remaining
    ? Remaining[Name]
    : Options[Name]
}

/** The arguments after the prompt. */
export type DurableArgs<Args extends readonly unknown[]> = { [Index in keyof Args]: DataOf<Args[Index]> }

// Checks that a run on Restate starts with data alone: functions stay on the definition, which every worker has.

/** Throws a `ConfigurationError` that names the options that cannot be given with a call. */
export function assertDurable(agent: AgentDefinition, { started, onError }: RunSpec): void {
  const where = `options of a run of "${agent.id}"`
  const { hooks, completion } = started.settings
  const names = hooks.map(optionOf)
  if (completion !== undefined) names.push('completion')
  if (names.length > 0) {
    throw new ConfigurationError(
      `${where}: functions cannot be given with a run on Restate, where any worker may go on with it: ${names.join(', ')}. Put them on the definition of the agent.`,
    )
  }
  if (onError !== undefined) {
    throw new ConfigurationError(
      `${where}: onError cannot be given with a run on Restate: give it to restateEndpoint, for the workers, and to restateTroupe.`,
    )
  }
}
