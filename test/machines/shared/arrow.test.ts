import { expect, test } from 'vitest'
import { ConfigurationError } from '../../../src/errors.ts'
import { always, arrow, optionalArrow } from '../../../src/machines/shared/arrow.ts'

/** The targets of a chart that types do not see. */
const untyped = (to: object) => to as { readonly stops: string }

test('an arrow leads to the state of its name', () => {
  expect(arrow('isOver', 'ending', 'record')).toEqual({
    guard: 'isOver',
    target: '#ending',
    actions: 'record',
  })
  expect(arrow('isOver', 'ending')).toEqual({ guard: 'isOver', target: '#ending' })
})

test('an arrow without a target is an error when the chart is made', () => {
  const { stops } = untyped({ stopped: 'ending' })
  expect(() => arrow('isOver', stops)).toThrow(ConfigurationError)
  expect(() => arrow('isOver', stops)).toThrow('The arrow "isOver" leads to no state.')
  expect(() => arrow({ type: 'endsAs' }, '')).toThrow('The arrow "endsAs" leads to no state.')
})

test('an optional arrow is left out with its target, and leads to no state without a name', () => {
  expect(optionalArrow('isOver', undefined, 'record')).toEqual([])
  expect(optionalArrow('isOver', 'ending', 'record')).toEqual([
    { guard: 'isOver', target: '#ending', actions: 'record' },
  ])
  expect(() => optionalArrow('isOver', '')).toThrow('The arrow "isOver" leads to no state.')
  expect(always(undefined, 'record')).toEqual([])
  expect(() => always('', 'record')).toThrow('The arrow "always" leads to no state.')
})
