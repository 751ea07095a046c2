/** A child that has reported, or crashed, is stopped: no actor that has ended stays below its parent. */
import { expect, test } from 'vitest'
import { initialTransition, transition, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate'
import { Toolset } from '../../../src/actors/toolset/toolset.ts'
import type { AgentInput } from '../../../src/machines/contract/agent.ts'
import { debateMachine } from '../../../src/machines/debate.ts'
import { dispatchMachine } from '../../../src/machines/dispatch.ts'
import { delegated, loopInput } from '../suites/loop-outcomes.ts'
import { onlyAgent } from '../suites/selection-outcomes.ts'

const two = Toolset.of(
  {},
  { a: { id: 'a', description: 'Says yes.' }, b: { id: 'b', description: 'Says no.' } },
)

const machines: Readonly<Record<string, readonly [AnyStateMachine, AgentInput, string[]]>> = {
  'that goes on with another': [debateMachine(), loopInput({ toolset: two }), ['delegation:1.2']],
  'that ends with it': [dispatchMachine(), loopInput({ toolset: onlyAgent }), []],
}

const actorId = 'delegation:1.1'
const reports = {
  reports: { type: `xstate.done.actor.${actorId}`, actorId, output: delegated('succeeded').value },
  crashes: { type: `xstate.error.actor.${actorId}`, actorId, error: new Error('broken') },
}

const childrenOf = ({ children }: AnyMachineSnapshot) => Object.keys(children)

test.for(
  Object.entries(machines).flatMap(([name, machine]) =>
    Object.entries(reports).map(([end, event]) => [end, name, machine, event] as const),
  ),
)('a child that %s, of an agent %s', ([, , [machine, input, left], event]) => {
  const [before] = initialTransition(machine, input)
  expect(childrenOf(before)).toEqual([actorId])
  const [after] = transition(machine, before, event as never)
  expect(childrenOf(after)).toEqual(left)
})
