/** Behaviour 74: The words that the tree has for an actor. */
import { expect, test } from 'vitest'
import { standingOf } from '../../../src/inspector/page/tree/actor-words.ts'
import { modelOf } from './recorded-run.ts'
import { aRow } from './rows.ts'

test('an actor that is known by its entries alone is not said to be at work', () => {
  const key = 'lead/delegation:1.1/clerk/model#1'
  const { actors } = modelOf([
    aRow(0, { actorsAdded: [] }),
    aRow(1, { type: 'effect.settled', kind: 'model', key, path: 'lead/delegation:1.1/clerk' }),
    aRow(2, { type: 'run.settled', journal: 'lead' }),
  ])
  for (const path of ['lead', 'lead/delegation:1.1', 'lead/delegation:1.1/clerk']) {
    const actor = actors.at(path)?.at(2)
    expect(actor && standingOf(actor, undefined, 2)).toEqual({ text: '', kind: 'unknown' })
  }
  const told = modelOf([aRow(0)])
    .actors.at('lead')
    ?.at(0)
  expect(told && standingOf(told, 'thinking.calling', 0)).toEqual({ text: 'thinking', kind: 'active' })
})
