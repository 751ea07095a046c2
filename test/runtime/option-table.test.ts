/** The option table has the names of the public types, pattern by pattern: what compiles is what is taken. */
import type { AgentOptions, FanOutOptions, PlannerOptions, RouterOptions, SupervisorOptions } from 'troupe'
import { describe, expect, test } from 'vitest'
import type { Defaulted, Field } from '../../src/actors/strict/read-options.ts'
import { optionsOf, optionTable, type OptionsOf } from '../../src/runtime/options/option-table.ts'
import type { Pattern } from '../../src/runtime/options/pattern.ts'
import { expectType } from '../types/expect-type.ts'

/** Never called: it compiles, or the types and the table differ. */
export function typesAgree(names: { readonly [Of in Pattern]: OptionsOf<Of> }): void {
  expectType<keyof AgentOptions>()(names.react)
  expectType<keyof SupervisorOptions>()(names.supervisor)
  expectType<keyof RouterOptions>()(names.router)
  expectType<keyof PlannerOptions>()(names['plan-then-execute'])
  expectType<keyof FanOutOptions>()(names['fan-out'])
}

const defaulted = Object.entries<Partial<Defaulted<unknown>> & Field>(optionTable).filter(
  ([, row]) => row.default !== undefined,
)

describe('the option table', () => {
  test('gives each pattern its options', () => {
    expect(Object.keys(optionsOf.dispatch)).toEqual([
      'toolGroups',
      'toolState',
      'onExhausted',
      'retries',
      'hookErrors',
      'hookTimeout',
      'modelTimeout',
      'fallbackOn',
      'budget',
      'memory',
      'compaction',
      'inputProcessors',
      'onStepFinish',
      'onFinish',
      'delegation',
      'maxDepth',
    ])
  })

  test.for(defaulted)('%s has a default that it takes', ([name, row]) => {
    expect(row.read(row.default, name)).toEqual(row.default)
  })
})
