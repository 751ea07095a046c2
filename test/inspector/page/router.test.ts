/** The address of the page: each place has one, and each address a place. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressOf, placeOf, tabs, type Place } from '../../../src/inspector/page/shared/router.ts'

const text = fc.string({ unit: 'binary', minLength: 1 }).filter((given) => given.isWellFormed())

const aPlace: fc.Arbitrary<Place> = fc.oneof(
  fc.constantFrom<Place>({ view: 'inbox' }, { view: 'health' }),
  fc.record({ view: fc.constant('runs' as const), find: text, order: text }, { requiredKeys: ['view'] }),
  fc.record(
    {
      view: fc.constant('run' as const),
      // No address can have a part of dots alone: a browser takes them for folders.
      runId: text.filter((id) => !/^\.{1,2}$/.test(id)),
      tab: fc.constantFrom('summary' as const, ...tabs),
      row: fc.nat(999_999_999),
      path: text,
      other: text,
    },
    { requiredKeys: ['view', 'runId', 'tab'] },
  ),
)

test('a place is read from its address as it was', () => {
  fc.assert(
    fc.property(aPlace, (place) => {
      expect(placeOf(addressOf(place))).toEqual(place)
    }),
  )
})

test('the summary of a run has a short address, and an address that names a part shows the part', () => {
  expect(addressOf({ view: 'run', runId: 'r1', tab: 'summary' })).toBe('/runs/r1')
  expect(addressOf({ view: 'run', runId: 'r1', tab: 'entry' })).toBe('/runs/r1?tab=entry')
  expect(addressOf({ view: 'run', runId: 'r1', tab: 'entry', row: 3 })).toBe('/runs/r1?row=3')
  expect(placeOf('/runs/r1?row=3')).toEqual({ view: 'run', runId: 'r1', tab: 'entry', row: 3 })
  expect(addressOf({ view: 'run', runId: 'r1', tab: 'summary', row: 3 })).toBe('/runs/r1?row=3&tab=summary')
  expect(addressOf({ view: 'run', runId: 'r1', tab: 'why', row: 3, path: 'lead/call:1.1' })).toBe(
    '/runs/r1?row=3&path=lead/call%3A1.1&tab=why',
  )
})

test('the list of runs keeps its filter and its order in the address', () => {
  expect(addressOf({ view: 'runs' })).toBe('/')
  expect(addressOf({ view: 'runs', find: 'outcome:failed since:1h', order: 'costliest' })).toBe(
    '/?find=outcome:failed+since:1h&order=costliest',
  )
})

test.each(['/nothing', '/runs/', '/runs/a/b', '/runs/%E0%A4%A'])('%s is no place', (address) => {
  expect(placeOf(address)).toEqual({ view: 'unknown', address })
})

test('a row and a tab that are none are left out', () => {
  expect(placeOf('/runs/r1?row=-1&tab=none&path=')).toEqual({ view: 'run', runId: 'r1', tab: 'summary' })
  expect(placeOf('/runs/r1?row=1e9')).toEqual({ view: 'run', runId: 'r1', tab: 'summary' })
})
