/** Each ending on each path of each machine is one that the input and the outcomes of the path allow. */
import type { AnyStateMachine } from 'xstate'
import { expect, test } from 'vitest'
import { edgeCover, testModel } from 'troupe/testing'
import { agentReference } from './reference/agents.ts'
import { delegationReference } from './reference/delegation.ts'
import { Facts, type Reference } from './reference/facts.ts'
import { completionReference, decisionReference, toolCallReference } from './reference/parts.ts'
import { completionSuite } from './suites/completion.ts'
import { debateSuite } from './suites/debate.ts'
import { decisionSuite } from './suites/decision.ts'
import { delegationSuite } from './suites/delegation.ts'
import { dispatchSuite } from './suites/dispatch.ts'
import { fanOutSuite } from './suites/fan-out.ts'
import { metaRouterSuite } from './suites/meta-router.ts'
import { planThenExecuteSuite } from './suites/plan-then-execute.ts'
import { reactSuite } from './suites/react.ts'
import { reflexionSuite } from './suites/reflexion.ts'
import { routerSuite } from './suites/router.ts'
import type { Suite } from './suites/suite.ts'
import { supervisorSuite } from './suites/supervisor.ts'
import { toolCallSuite } from './suites/tool-call.ts'

interface Ended<Input> {
  readonly path: string
  readonly ending: string
  readonly facts: Facts<Input>
}

/** The paths that end the machine. */
function endedPaths<Input>({ machine, options }: Suite, endingOf: (output: never) => string): Ended<Input>[] {
  const { inputs, invariant: _invariant, mayRepeat: _mayRepeat, ...graph } = options
  return Object.entries(inputs).flatMap(([inputName, input]) =>
    testModel<AnyStateMachine>(machine, { ...graph, input })
      .getPaths(edgeCover)
      .flatMap(({ state, steps }) => {
        const { snapshot } = state as { readonly snapshot: { status: string; output: unknown } }
        if (snapshot.status !== 'done') return []
        const stimuli = steps.slice(1).map(({ event }) => event)
        const path = [inputName, ...stimuli.map(({ name }) => name)].join(' → ')
        return [
          { path, ending: endingOf(snapshot.output as never), facts: new Facts(input as Input, stimuli) },
        ]
      }),
  )
}

/** Paths that end otherwise than their facts allow, and endings of the table on which no path ends. */
function faultsOf<Input>(
  suite: Suite,
  reference: Reference<Input>,
  endingOf: (output: never) => string,
): string[] {
  const ended = endedPaths<Input>(suite, endingOf)
  const wrong = ended.filter(({ ending, facts }) => reference[ending]?.(facts) !== true)
  const found = new Set(ended.map(({ ending }) => ending))
  return [
    ...wrong.slice(0, 5).map(({ path, ending }) => `${ending}: ${path}`),
    ...Object.keys(reference)
      .filter((ending) => !found.has(ending))
      .map((ending) => `no path ends as ${ending}`),
  ]
}

const outcomeOf = ({ outcome }: { readonly outcome: string }) => outcome

test('delegation', () => {
  expect(
    faultsOf(
      delegationSuite,
      delegationReference,
      ({ record }: { record: { outcome: string } }) => record.outcome,
    ),
  ).toEqual([])
})

test('tool-call', () => {
  expect(faultsOf(toolCallSuite, toolCallReference, outcomeOf)).toEqual([])
})

test('completion', () => {
  expect(faultsOf(completionSuite, completionReference, outcomeOf)).toEqual([])
})

test('decision', () => {
  expect(
    faultsOf(decisionSuite, decisionReference, ({ decision }: { decision: string }) => decision),
  ).toEqual([])
})

test.each([
  reactSuite,
  supervisorSuite,
  reflexionSuite,
  routerSuite,
  dispatchSuite,
  metaRouterSuite,
  planThenExecuteSuite,
  fanOutSuite,
  debateSuite,
] as readonly Suite[])('$machine.id', (suite) => {
  const endings = Object.keys(suite.machine.states).filter((name) => name in agentReference)
  expect(
    faultsOf(
      suite,
      Object.fromEntries(endings.map((name) => [name, agentReference[name]])) as Reference<never>,
      outcomeOf,
    ),
  ).toEqual([])
})
