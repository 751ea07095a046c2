/** Behaviour 78: in the view of a run that has ended, nothing is under way, and nothing waits. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { viewOf, type AgentView, type PartView, type RunView } from 'troupe/view'
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

test('a run that has ended, however it did, leaves no part under way', async () => {
  const choices = fc.array(fc.nat({ max: 1_000 }), { minLength: 150, maxLength: 500, size: 'max' })
  let settled = 0
  await fc.assert(
    fc.asyncProperty(choices, async (drawn) => {
      const { recorded, seen } = await watchRandomly(drawn)
      for (const events of [recorded, ...seen]) {
        const view = viewOf(events)
        if (view.status === 'settled') settled++
        expect(leftOver(view)).toEqual([])
      }
    }),
    { numRuns: 60, endOnFailure: true },
  )
  expect(settled).toBeGreaterThan(100)
})
