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

function hold<Input>(suite: Suite, reference: Reference<Input>, endingOf: (output: never) => string): void {
  const ended = endedPaths<Input>(suite, endingOf)
  const wrong = ended.filter(({ ending, facts }) => reference[ending]?.(facts) !== true)
  expect(wrong.slice(0, 5).map(({ path, ending }) => `${ending}: ${path}`)).toEqual([])
  // Each ending of the table occurs.
  expect(new Set(ended.map(({ ending }) => ending))).toEqual(new Set(Object.keys(reference)))
}

const outcomeOf = ({ outcome }: { readonly outcome: string }) => outcome

test('delegation', () => {
  hold(delegationSuite, delegationReference, ({ record }: { record: { outcome: string } }) => record.outcome)
})

test('tool-call', () => {
  hold(toolCallSuite, toolCallReference, outcomeOf)
})

test('completion', () => {
  hold(completionSuite, completionReference, outcomeOf)
})

test('decision', () => {
  hold(decisionSuite, decisionReference, ({ decision }: { decision: string }) => decision)
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
  hold(
    suite,
    Object.fromEntries(endings.map((name) => [name, agentReference[name]])) as Reference<never>,
    outcomeOf,
  )
})
