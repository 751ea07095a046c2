/** Each path of each machine ends as its input and its outcomes say: in the tables, which do not know the machines. */
import type { AnyStateMachine } from 'xstate'
import { describe, expect, test } from 'vitest'
import { edgeCover, testModel, type Stimulus } from 'troupe/testing'
import type { AgentInput } from '../../src/machines/contract/agent.ts'
import { delegationReference } from './reference/delegation.ts'
import { Facts, type Reference } from './reference/facts.ts'
import { references } from './reference/patterns/patterns.ts'
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
  readonly input: Input
  readonly stimuli: readonly Stimulus[]
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
        return [{ path, ending: endingOf(snapshot.output as never), input: input as Input, stimuli }]
      }),
  )
}

describe('a part of an agent ends only as its facts allow', () => {
  /** Paths that end otherwise, and endings of the reference on which no path ends. */
  function faultsOf<Input>(
    suite: Suite,
    reference: Reference<Input>,
    endingOf: (output: never) => string,
  ): string[] {
    const ended = endedPaths<Input>(suite, endingOf)
    const wrong = ended.filter(
      ({ ending, input, stimuli }) => reference[ending]?.(new Facts(input, stimuli)) !== true,
    )
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
    const recorded = ({ record }: { record: { outcome: string } }) => record.outcome
    expect(faultsOf(delegationSuite, delegationReference, recorded)).toEqual([])
  })

  test('tool-call', () => {
    expect(faultsOf(toolCallSuite, toolCallReference, outcomeOf)).toEqual([])
  })

  test('completion', () => {
    expect(faultsOf(completionSuite, completionReference, outcomeOf)).toEqual([])
  })

  test('decision', () => {
    const made = ({ decision }: { decision: string }) => decision
    expect(faultsOf(decisionSuite, decisionReference, made)).toEqual([])
  })
})

describe('an agent has the ending that its table names', () => {
  interface Ending {
    readonly outcome: string
    readonly reason?: string
    readonly error?: { readonly code: string }
  }

  const endingNamed = ({ outcome, reason, error }: Ending) =>
    [outcome, reason, error?.code].filter((part) => part !== undefined).join(' ')

  const suites: readonly Suite[] = [
    reactSuite,
    supervisorSuite,
    reflexionSuite,
    routerSuite,
    dispatchSuite,
    metaRouterSuite,
    planThenExecuteSuite,
    fanOutSuite,
    debateSuite,
  ]
  const used = new Map<string, ReadonlySet<unknown>>()

  /** Paths that end otherwise, and finals of the machine in which no path ends. */
  function faultsOf({ machine, ...suite }: Suite): string[] {
    const reference = references[machine.id]
    const rows = new Set<unknown>()
    used.set(machine.id, rows)
    const ended = endedPaths<AgentInput>({ machine, ...suite }, endingNamed)
    const wrong = ended.flatMap(({ path, ending, input, stimuli }) => {
      const named = reference?.endingOf(input, stimuli, (row) => rows.add(row))
      return named === ending ? [] : [`${ending}, and not ${named}: ${path}`]
    })
    const outcomes = new Set(ended.map(({ ending }) => ending.replace(/ .*/, '')))
    const finals = Object.entries(machine.states).flatMap(([name, { type }]) =>
      type === 'final' ? [name] : [],
    )
    return [
      ...wrong.slice(0, 5),
      ...finals.filter((name) => !outcomes.has(name)).map((name) => `no path ends as ${name}`),
    ]
  }

  test.each(suites)('$machine.id', (suite) => {
    expect(faultsOf(suite)).toEqual([])
  })

  test('and each row of a table is the ending of some path', () => {
    for (const suite of suites) if (!used.has(suite.machine.id)) faultsOf(suite)
    const found = new Set([...used.values()].flatMap((rows) => [...rows]))
    const rows = new Set(Object.values(references).flatMap((reference) => reference.rows))
    expect([...rows].filter((row) => !found.has(row))).toEqual([])
  })
})
