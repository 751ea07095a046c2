/** The options of a run on Restate: those of its agent that are data. Functions stand on the definition. */
import type { DelegationOptions } from '../../runtime/options/options.ts'

/** Functions, or what holds some: of these nothing can travel. */
type Functional =
  | 'stopWhen'
  | 'onStepFinish'
  | 'onFinish'
  | 'onIterationComplete'
  | 'completion'
  | 'structuredOutput'
  | 'onError'

/** Of these a part can. */
interface Remaining {
  readonly delegation: Omit<DelegationOptions, 'onDelegationStart' | 'onDelegationComplete' | 'messageFilter'>
  /** An empty list takes the place of the definition's. */
  readonly inputProcessors: readonly []
  readonly outputProcessors: readonly []
}

type DataOf<Options> = {
  [Name in keyof Options as Exclude<Name, Functional>]: Name extends keyof Remaining
    ? Remaining[Name]
    : Options[Name]
}

/** What follows the prompt. */
export type DurableArgs<Args extends readonly unknown[]> = { [Index in keyof Args]: DataOf<Args[Index]> }
