/** The options of a search of `@xstate/graph` over a test logic. */
import type { TraversalConfig } from '@xstate/graph'
import { initialTransition } from 'xstate'
import type { GraphSource } from './graph-source.ts'
import { stimuliOf } from './stimuli.ts'
import type { Stimulus } from './stimulus.ts'
import type { TestLogic, TestState } from './test-logic.ts'

const defaultLimit = 20_000

export type Traversal = Pick<
  TraversalConfig<TestState, Stimulus>,
  'events' | 'serializeEvent' | 'serializeState'
> & { readonly fromState: TestState }

/** Throws for an initial state that has no key. The search throws when it finds more states than the limit allows. */
export function traversalOf(logic: TestLogic, input: unknown, source: GraphSource): Traversal {
  const limit = source.options.limit ?? defaultLimit
  const known = new Set<string>()
  const [fromState] = initialTransition(logic, input)
  return {
    fromState,
    // The limit of `@xstate/graph` counts edges.
    events: (state) => {
      known.add(state.key)
      if (known.size > limit) {
        throw new Error(
          `The state graph of "${source.machine.id}" has more than ${limit} states. Give a stateKey that keeps less, or smaller caps in the input.`,
        )
      }
      return stimuliOf(state, source)
    },
    // An object lists keys that are numbers first: with a prefix, states and stimuli stay in the order of the search.
    serializeState: ({ key }) => `state ${key}`,
    serializeEvent: ({ name }) => `stimulus ${name}`,
  }
}
