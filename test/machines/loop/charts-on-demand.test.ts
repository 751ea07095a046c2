/** Loading a pattern makes none of the charts that its children have: XState keeps the getters that its setup was given. */
import { expect, test } from 'vitest'
import type { AnyStateMachine } from 'xstate'
import { decisionMachine } from '../../../src/machines/decision.ts'
import { fanOutMachine } from '../../../src/machines/fan-out.ts'
import { metaRouterMachine } from '../../../src/machines/meta-router.ts'
import { planThenExecuteMachine } from '../../../src/machines/plan-then-execute.ts'
import { reactMachine } from '../../../src/machines/react.ts'
import { supervisorMachine } from '../../../src/machines/supervisor.ts'

const children = ['compaction', 'completion', 'decision', 'delegation', 'screening', 'toolCall']

function onDemand(machine: AnyStateMachine): string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(machine.implementations.actors as object))
    .filter(([, { get }]) => get !== undefined)
    .map(([name]) => name)
    .toSorted()
}

test.each([
  reactMachine(),
  supervisorMachine(),
  fanOutMachine(),
  planThenExecuteMachine(),
  metaRouterMachine(),
])('$id', (machine) => {
  expect(onDemand(machine)).toEqual(children)
})

test('a decision', () => {
  expect(onDemand(decisionMachine())).toEqual(['compaction'])
})
