/** Each path of each machine ends as its input and its outcomes say: in the tables, which do not know the machines. */
import { describe, expect, test } from 'vitest'
import { delegationReference } from './reference/delegation.ts'
import { Facts, type Reference } from './reference/facts.ts'
import { endedPaths, readAgent } from './reference/faults.ts'
import { references } from './reference/patterns/patterns.ts'
import {
  compactionReference,
  completionReference,
  decisionReference,
  toolCallReference,
} from './reference/parts.ts'
import { compactionSuite } from './suites/compaction.ts'
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

  test('compaction', () => {
    expect(faultsOf(compactionSuite, compactionReference, outcomeOf)).toEqual([])
  })

  test('decision', () => {
    const made = ({ decision }: { decision: string }) => decision
    expect(faultsOf(decisionSuite, decisionReference, made)).toEqual([])
  })
})

describe('an agent has the ending that its table names', () => {
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
  function faultsOf(suite: Suite): string[] {
    const { id, states } = suite.machine
    const { faults, outcomes, rows } = readAgent(suite)
    used.set(id, rows)
    const finals = Object.entries(states).flatMap(([name, { type }]) => (type === 'final' ? [name] : []))
    return [
      ...faults.slice(0, 5),
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
