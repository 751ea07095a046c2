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
import { proved } from '../support/covers/proved.ts'
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
  const outcomeOf = ({ outcome }: { readonly outcome: string }) => outcome
  const recorded = ({ record }: { record: { outcome: string } }) => record.outcome
  const made = ({ decision }: { decision: string }) => decision

  const parts = [
    partOf(delegationSuite, delegationReference, recorded),
    partOf(toolCallSuite, toolCallReference, outcomeOf),
    partOf(completionSuite, completionReference, outcomeOf),
    partOf(compactionSuite, compactionReference, outcomeOf),
    partOf(decisionSuite, decisionReference, made),
  ]

  test.for(parts)('$name', ({ read }, context) =>
    proved(context, () => {
      const { faults, counts } = read()
      expect(faults).toEqual([])
      return counts
    }),
  )

  /** Its faults are paths that end otherwise, and endings of the reference on which no path ends. */
  function partOf<Input>(suite: Suite, reference: Reference<Input>, endingOf: (output: never) => string) {
    const read = () => {
      const ended = endedPaths<Input>(suite, endingOf)
      const wrong = ended.filter(
        ({ ending, input, stimuli }) => reference[ending]?.(new Facts(input, stimuli)) !== true,
      )
      const found = new Set(ended.map(({ ending }) => ending))
      const faults = [
        ...wrong.slice(0, 5).map(({ path, ending }) => `${ending}: ${path}`),
        ...Object.keys(reference)
          .filter((ending) => !found.has(ending))
          .map((ending) => `no path ends as ${ending}`),
      ]
      return { faults, counts: { paths: ended.length, endings: found.size } }
    }
    return { name: suite.machine.id, read }
  }
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

  /** Its faults are paths that end otherwise, and finals of the machine in which no path ends. */
  function read(suite: Suite) {
    const { id, states } = suite.machine
    const { faults, outcomes, rows, paths } = readAgent(suite)
    used.set(id, rows)
    const finals = Object.entries(states).flatMap(([name, { type }]) => (type === 'final' ? [name] : []))
    const without = finals.filter((name) => !outcomes.has(name)).map((name) => `no path ends as ${name}`)
    return {
      faults: [...faults.slice(0, 5), ...without],
      counts: { paths, outcomes: outcomes.size, rows: rows.size },
    }
  }

  test.for(suites)('$machine.id', (suite, context) =>
    proved(context, () => {
      const { faults, counts } = read(suite)
      expect(faults).toEqual([])
      return counts
    }),
  )

  test('and each row of a table is the ending of some path', (context) =>
    proved(context, () => {
      for (const suite of suites) if (!used.has(suite.machine.id)) read(suite)
      const found = new Set([...used.values()].flatMap((rows) => [...rows]))
      const rows = new Set(Object.values(references).flatMap((reference) => reference.rows))
      expect([...rows].filter((row) => !found.has(row))).toEqual([])
      return { rows: rows.size }
    }))
})
