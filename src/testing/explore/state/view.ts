/** The part of a run's state that some actor, function or rule can still act on. */

export interface StateView {
  /**
   * Whether texts count: a function of the user reads the conversation. Where none does, two states that differ in the
   * words of models and tools alone are one.
   */
  readonly texts: boolean
  /** The group of an agent, by its id: agents of one group are interchangeable. An agent in no group is its own group. */
  readonly groupOf: (agent: string) => string
  /** The counters of the budget that limit the run. */
  readonly counters: readonly ('tokens' | 'cost' | 'modelCalls')[]
  /** Whether timers end in the order of their times. */
  readonly timed: boolean
}
