/** Charts that the tables do not know are left to XState, and so are runs that an inspector looks at. */
import { describe, expect, test } from 'vitest'
import { createTroupe } from 'troupe'
import { createMachine, initialTransition, type AnyActorScope, type InspectionEvent } from 'xstate'
import { tablesOf } from '../../../src/runtime/interpreter/interpreter.ts'
import { ChartTables } from '../../../src/runtime/interpreter/tables.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

describe('refused', () => {
  test.each<[string, object, RegExp]>([
    ['a parallel state', { type: 'parallel', states: { one: {}, two: {} } }, /parallel state "chart"/],
    [
      'a history state',
      { initial: 'one', states: { one: { initial: 'two', states: { two: {}, last: { type: 'history' } } } } },
      /history state "chart.one.last"/,
    ],
    [
      'a root that is entered again',
      { on: { again: { target: '.one', reenter: true } }, initial: 'one', states: { one: {} } },
      /root again/,
    ],
    [
      'a root that is entered again from below',
      { initial: 'one', states: { one: { on: { again: { target: '#chart', reenter: true } } } } },
      /root again/,
    ],
    ['a limit of iterations', { options: { maxIterations: 3 } }, /limit of iterations/],
    [
      'a child without a name',
      { initial: 'one', states: { one: { invoke: { src: createMachine({}) } } } },
      /child without a name, in the state "chart.one"/,
    ],
  ])('%s', (_name, config, message) => {
    const machine = createMachine({ id: 'chart', ...config } as never)
    expect(() => new ChartTables(machine)).toThrow(message)
    expect(tablesOf(machine)).toBeUndefined()
  })
})

/** What an inspector sees of the charts of a run. */
function inspected() {
  const microsteps: InspectionEvent[] = []
  const helper = worker('helper', ['Found.'])
  const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper: helper.agent } })
  return { agent, microsteps, inspect: (event: InspectionEvent) => void microsteps.push(event) }
}

describe('the interpreter of a run', () => {
  test('is XState where an inspector looks on: it is shown each microstep', async () => {
    const { agent, microsteps, inspect } = inspected()
    const run = await createTroupe({ agents: [agent], inspect }).start(agent, 'Go')
    expect((await run.result).text).toBe('Done.')
    expect(microsteps.filter(({ type }) => type === '@xstate.microstep').length).toBeGreaterThan(10)
  })

  test.each(['tables', 'xstate'] as const)(
    '%s, as the option says: the journal and the events are the same',
    async (interpreter) => {
      const play = async (options: object) => {
        const { agent } = inspected()
        const clock = { now: () => 0, after: () => () => undefined }
        const troupe = createTroupe({ agents: [agent], clock, ...options })
        const run = await troupe.start(agent, 'Go')
        await run.result
        const { events, actors } = await troupe.replay(run.id)
        const journal = await troupe.journal(run.id)
        const text = JSON.stringify({ journal, events, actors })
        return text.replaceAll(run.id, 'run')
      }
      expect(await play({ interpreter })).toBe(await play({}))
    },
  )

  test('is one of two', () => {
    const { agent } = inspected()
    expect(() => createTroupe({ agents: [agent], interpreter: 'table' as 'tables' })).toThrow(
      expect.objectContaining({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining('interpreter'),
      }),
    )
  })
})

test('a snapshot of the tables has the surface of a snapshot of XState', () => {
  const machine = createMachine({
    id: 'chart',
    initial: 'one',
    states: { one: { meta: { a: 1 }, tags: ['first'] } },
  })
  const [xstate] = initialTransition(machine)
  const logic = Object.create(machine, {
    getInitialSnapshot: {
      value: (scope: AnyActorScope, input: unknown) =>
        new ChartTables(machine).getInitialSnapshot(scope, input),
    },
  }) as typeof machine
  const [tables] = initialTransition(logic)
  expect(Object.keys(tables)).toEqual(Object.keys(xstate))
  expect(tables.matches('one')).toBe(true)
  expect(tables.hasTag('first')).toBe(true)
  expect(tables.getMeta()).toEqual(xstate.getMeta())
  expect(JSON.stringify(tables)).toBe(JSON.stringify(xstate))
})
