/** Every pattern as a subagent of every other, and longer chains of mixed patterns: each made, and played once. */
import { createTroupe, type FinalResult, type RunEvent, type Troupe } from 'troupe'
import { actorsBelow, allEvents } from './agents.ts'
import {
  delegating,
  patterns,
  patternTree,
  type Pattern,
  type PatternTree,
  type PatternTreeOptions,
} from './pattern-tree.ts'

/** From the root down. */
export type Nesting = readonly Pattern[]

/** All pairs that there can be: `react` and `reflexion` have no subagents. */
export const pairs: readonly Nesting[] = delegating.flatMap((outer) =>
  patterns.map((inner) => [outer, inner]),
)

/** Each delegating pattern at each of five depths. */
export const chains: readonly Nesting[] = [
  ['debate', 'router', 'plan-then-execute', 'fan-out', 'supervisor'],
  ['fan-out', 'fan-out', 'reflexion'],
  ['meta-router', 'meta-router', 'dispatch', 'dispatch', 'reflexion'],
  ...delegating.map((_, first) =>
    Array.from({ length: 3 + (first % 3) }, (_, depth): Pattern => {
      return delegating[(first + 2 * depth) % delegating.length] ?? 'react'
    }),
  ),
]

export interface PlayedNesting {
  readonly tree: PatternTree
  readonly troupe: Troupe
  readonly runId: string
  readonly result: FinalResult
  readonly events: readonly RunEvent[]
  /** The ids of the actors that are still below the root agent at its end. */
  readonly leftOver: readonly string[]
}

export async function playNesting(
  nesting: Nesting,
  options: PatternTreeOptions = {},
): Promise<PlayedNesting> {
  const tree = patternTree(nesting, options)
  const troupe = createTroupe({ agents: [tree.agent] })
  const run = await troupe.start(tree.agent, 'Find it.')
  const result = await run.result
  return {
    tree,
    troupe,
    runId: run.id,
    result,
    events: await allEvents(run),
    leftOver: actorsBelow(run, tree.agent.id),
  }
}
