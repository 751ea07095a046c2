import { and, not, or, stateIn } from 'xstate'
import { describe, expect, test } from 'vitest'
import { guardText } from '../../src/diagram/guard-text.ts'

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
