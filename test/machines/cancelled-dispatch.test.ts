/** A dispatcher and a meta-router take over the ending of one child, but not when they were cancelled before. */
import { expect, test } from 'vitest'
import { initialTransition, transition, type AnyStateMachine } from 'xstate'
import { initialPatterns, initialTaskTypes } from '../../src/actors/task-types.ts'
import { Toolset } from '../../src/actors/toolset/toolset.ts'
import type { AgentInput } from '../../src/machines/contract/agent.ts'
import { dispatchMachine } from '../../src/machines/dispatch.ts'
import { metaRouterMachine } from '../../src/machines/meta-router.ts'
import { delegated, loopInput } from './suites/loop-outcomes.ts'
import { onlyAgent } from './suites/selection-outcomes.ts'
import { cancel } from './suites/support.ts'

const thinker = Toolset.of({}, { react: { id: 'thinker', description: 'Thinks.' } })
const route = { taskTypes: initialTaskTypes, patterns: initialPatterns, pattern: 'react' }
const child = 'delegation:1.1'
const reports = {
  succeeds: { type: `xstate.done.actor.${child}`, actorId: child, output: delegated('succeeded').value },
  crashes: { type: `xstate.error.actor.${child}`, actorId: child, error: new Error('broken') },
}

const machines: Readonly<Record<string, readonly [AnyStateMachine, AgentInput]>> = {
  dispatcher: [dispatchMachine(), loopInput({ toolset: onlyAgent })],
  'meta-router': [metaRouterMachine(), loopInput({ toolset: thinker, route })],
}

function outcomeAfter(
  [machine, input]: readonly [AnyStateMachine, AgentInput],
  ...events: unknown[]
): unknown {
  let [snapshot] = initialTransition(machine, input)
  for (const event of events) [snapshot] = transition(machine, snapshot, event as never)
  return (snapshot.output as { readonly outcome?: unknown } | undefined)?.outcome
}

test.for(Object.entries(machines))('a %s ends as its child does', ([, machine]) => {
  expect(outcomeAfter(machine, reports.succeeds)).toBe('completed')
  expect(outcomeAfter(machine, reports.crashes)).toBe('failed')
})

test.for(Object.entries(machines))(
  'a cancelled %s stays cancelled, however its child ends',
  ([, machine]) => {
    expect(outcomeAfter(machine, cancel.event, reports.succeeds)).toBe('cancelled')
    expect(outcomeAfter(machine, cancel.event, reports.crashes)).toBe('cancelled')
  },
)
