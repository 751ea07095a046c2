/** The options of a run on Restate: those of its agent that are data. Functions belong to the definition. */
import type { DelegationOptions } from '../../runtime/options/options.ts'

/** Options that are functions, or hold some: no part of them can be sent. */
type Functional =
  | 'stopWhen'
  | 'onStepFinish'
  | 'onFinish'
  | 'onIterationComplete'
  | 'completion'
  | 'structuredOutput'
  | 'onError'

/** Options of which a part can be sent. */
interface Remaining {
  readonly delegation: Omit<DelegationOptions, 'onDelegationStart' | 'onDelegationComplete' | 'messageFilter'>
  /** An empty list replaces that of the definition. */
  readonly inputProcessors: readonly []
  readonly outputProcessors: readonly []
}

type DataOf<Options> = {
  [Name in keyof Options as Exclude<Name, Functional>]: Name extends keyof Remaining
    ? Remaining[Name]
    : Options[Name]
}

/** The arguments after the prompt. */
export type DurableArgs<Args extends readonly unknown[]> = { [Index in keyof Args]: DataOf<Args[Index]> }
