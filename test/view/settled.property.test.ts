/** Behaviour 78: in the view of a run that has ended, nothing is under way, and nothing waits. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RunEvent } from 'troupe'
import { viewOf, type AgentView, type PartView, type RunView } from 'troupe/view'
import { runNested } from '../properties/nested-patterns.ts'
import { runRandomly } from '../properties/random-troupe.ts'
import { watchRandomly } from '../properties/watched-troupe.ts'

const isUnderWay = (part: PartView): boolean =>
  ('status' in part && ['streaming', 'running', 'waiting'].includes(part.status) && part.type !== 'saying') ||
  ('question' in part && part.question !== undefined) ||
  ('background' in part && part.background === 'running')

function* underWay(agents: Iterable<AgentView>): Generator<string, void> {
  for (const { id, status, parts } of agents) {
    if (status !== 'ended') yield `${id}: ${status}`
    for (const part of parts) {
      if (isUnderWay(part)) yield `${id}: ${part.type} ${part.id} ${'status' in part ? part.status : ''}`
      if (part.type === 'delegation') yield* underWay(part.agents)
    }
  }
}

function leftOver({ status, agents, questions, background }: RunView): readonly unknown[] {
  return status === 'settled' ? [...underWay(agents), ...questions, ...background] : []
}

/** What readers have seen of a run. */
const kinds: readonly (readonly [
  name: string,
  runs: number,
  least: number,
  run: (drawn: number[]) => Promise<readonly (readonly RunEvent[])[]>,
])[] = [
  [
    'over restarts',
    40,
    150,
    async (drawn) => {
      const { recorded, seen } = await watchRandomly(drawn)
      return [recorded, ...seen]
    },
  ],
  [
    'with every kind of end',
    150,
    30,
    async (drawn) => {
      const { events, along } = await runRandomly(drawn)
      return [events, along]
    },
  ],
  ['of every pattern below every other', 60, 200, async (drawn) => [(await runNested(drawn)).along]],
]

test.each(kinds)('a run %s leaves no part under way at its end', async (_, numRuns, least, run) => {
  const choices = fc.array(fc.nat({ max: 1_000 }), { minLength: least, maxLength: 5 * least, size: 'max' })
  let settled = 0
  await fc.assert(
    fc.asyncProperty(choices, async (drawn) => {
      for (const events of await run(drawn)) {
        const view = viewOf(events)
        if (view.status === 'settled') settled++
        expect(leftOver(view)).toEqual([])
      }
    }),
    { numRuns, endOnFailure: true },
  )
  expect(settled).toBeGreaterThanOrEqual(numRuns)
})
