/** What Troupe knows of XState's private fields still holds in the version that is installed. */
import { TroupeError } from 'troupe'
import { expect, test } from 'vitest'
import { assign, createActor, setup, type AnyStateNode, type InspectedMicrostepEvent } from 'xstate'
import { transitionsOf } from '../../src/actors/xstate-internals.ts'

const machine = setup({
  types: { context: {} as { count: number }, events: {} as { type: 'go' } | { type: 'count' } },
  guards: { isReady: ({ context }) => context.count > 0 },
  actions: { count: assign({ count: ({ context }) => context.count + 1 }) },
}).createMachine({
  id: 'm',
  context: { count: 0 },
  type: 'parallel',
  states: {
    left: {
      initial: 'start',
      states: {
        start: { on: { go: [{ guard: 'isReady', target: 'end' }, { target: 'waits' }] } },
        waits: { always: { guard: 'isReady', target: 'end', description: 'It is ready.' } },
        end: {},
      },
    },
    right: { initial: 'a', states: { a: { on: { go: 'b' } }, b: {} } },
  },
  on: { count: { actions: 'count' } },
})

function stepsOf(...events: readonly { type: 'go' | 'count' }[]): readonly InspectedMicrostepEvent[] {
  const steps: InspectedMicrostepEvent[] = []
  const actor = createActor(machine, {
    inspect: (event) => void (event.type === '@xstate.microstep' && steps.push(event)),
  })
  actor.start()
  events.forEach((event) => actor.send(event))
  actor.stop()
  return steps
}

/** The transitions of a state on an event, as the definition has them. */
function definedAt(path: readonly string[], event: string): readonly unknown[] {
  const state = path.reduce<AnyStateNode | undefined>((node, key) => node?.states[key], machine.root)
  return (event === '' ? state?.always : state?.transitions.get(event)) ?? []
}

test('a step tells the transitions that it takes: the very ones of the definition', () => {
  const taken = stepsOf({ type: 'go' }, { type: 'count' }).flatMap(transitionsOf)
  expect(taken).toEqual([
    definedAt(['left', 'start'], 'go')[1],
    definedAt(['right', 'a'], 'go')[0],
    definedAt([], 'count')[0],
    definedAt(['left', 'waits'], '')[0],
  ])
  expect(taken.map(({ eventType }) => eventType)).toEqual(['go', 'go', 'count', ''])
  expect(taken.at(-1)?.description).toBe('It is ready.')
})

test('of two transitions the one is told whose guard holds', () => {
  const [, ready] = stepsOf({ type: 'count' }, { type: 'go' }).map(transitionsOf)
  expect(ready?.[0]).toBe(definedAt(['left', 'start'], 'go')[0])
  expect(ready?.[0]?.guard).toBe('isReady')
})

test('an event that no state handles is a step without transitions', () => {
  expect(stepsOf({ type: 'go' }, { type: 'go' }).map(transitionsOf).at(-1)).toEqual([])
})

test('a step that does not tell its transitions is an error', () => {
  const [step] = stepsOf({ type: 'count' })
  const { _transitions: _, ...silent } = step ?? {}
  expect(() => transitionsOf(silent as InspectedMicrostepEvent)).toThrow(TroupeError)
})
