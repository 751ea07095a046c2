import { and, createMachine, fromPromise, not, or, stateIn } from 'xstate'
import { describe, expect, test } from 'vitest'
import { eventText, guardText } from '../../../src/actors/charts/transition-words.ts'

const machine = createMachine({
  id: 'm',
  initial: 'working',
  states: {
    working: {
      invoke: [
        { src: 'fetchUser' },
        { src: fromPromise(async () => 1) },
        { src: 'hook', id: 'hook:onStart' },
      ],
      after: { 500: 'rest', patience: 'rest' },
    },
    rest: {},
  },
})
const { working } = machine.root.states

describe('eventText', () => {
  test.each([
    ['go', 'go'],
    ['*', 'any event'],
    ['tool.*', 'tool.*'],
    ['xstate.done.actor.model', 'model done'],
    ['xstate.error.actor.model', 'model failed'],
    ['xstate.snapshot.model', 'model changed'],
    ['xstate.done.actor.*', 'child done'],
    ['xstate.error.actor.*', 'child failed'],
    ['xstate.done.actor.hook:onStart', 'hook onStart done'],
    ['xstate.done.actor.0.m.working', 'fetchUser done'],
    ['xstate.error.actor.1.m.working', 'failed'],
    ['xstate.done.state.m.working', 'done'],
    ['xstate.done.state.m.rest', 'rest done'],
    ['xstate.after.500.m.working', 'after 500 ms'],
    ['xstate.after.patience.m.working', 'after patience'],
  ])('%s is "%s"', (eventType, expected) => {
    expect(working && eventText(eventType, working)).toBe(expected)
  })
})

describe('guardText', () => {
  test.each([
    ['a name', 'isReady', 'isReady'],
    ['an object', { type: 'isReady' }, 'isReady'],
    ['an inline function', () => true, 'condition'],
    ['one parameter by its value', { type: 'endsAs', params: { outcome: 'failed' } }, 'endsAs failed'],
    ['one flag by its name', { type: 'isReady', params: { strict: true } }, 'isReady strict=true'],
    ['several parameters', { type: 'isBetween', params: { min: 1, max: 5 } }, 'isBetween min=1, max=5'],
    ['a plain parameter', { type: 'isAbove', params: 3 }, 'isAbove 3'],
    ['no missing parameter', { type: 'isAbove', params: { min: undefined } }, 'isAbove'],
    ['no computed parameters', { type: 'isAbove', params: () => ({ min: 1 }) }, 'isAbove'],
    ['no nested parameters', { type: 'isAbove', params: { min: 1, rest: { a: 1 } } }, 'isAbove'],
    ['no long parameters', { type: 'says', params: { text: 'x'.repeat(41) } }, 'says'],
  ])('gives %s', (_, guard, expected) => {
    expect(guardText(guard)).toBe(expected)
  })

  test.each([
    [not('a'), 'not a'],
    [and(['a', 'b']), 'a and b'],
    [or(['a', { type: 'b', params: { n: 1 } }]), 'a or b 1'],
    [not(and(['a', 'b'])), 'not (a and b)'],
    [and([not('a'), 'b']), 'not a and b'],
    [and([or(['a', 'b']), 'c']), '(a or b) and c'],
    [or([and(['a', 'b']), 'c']), '(a and b) or c'],
    [and([and(['a', 'b']), 'c']), 'a and b and c'],
    [and(['a', () => true]), 'a and condition'],
    [stateIn('working'), 'in working'],
    [stateIn('#m.working'), 'in m.working'],
    [stateIn({ working: { deep: 'inside' } }), 'in working.deep.inside'],
    [stateIn({ left: 'on', right: 'off' }), 'in left.on and in right.off'],
    [not(stateIn({ left: 'on', right: 'off' })), 'not (in left.on and in right.off)'],
  ])('spells out combinators: %#', (guard, expected) => {
    expect(guardText(guard)).toBe(expected)
  })
})
