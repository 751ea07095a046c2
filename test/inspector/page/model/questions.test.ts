import { expect, test } from 'vitest'
import { modelOf } from '../recorded-run.ts'
import { aRow, anEffect } from '../rows.ts'

const first = anEffect('lead/call:1.1/signal:approval', 'signal')
const second = anEffect('lead/call:1.2/signal:suspension', 'signal')

const rows = [
  aRow(0),
  aRow(1, {
    actorsAdded: [first, second],
    events: [
      {
        type: 'tool-call-approval',
        agent: 'lead',
        path: 'lead/call:1.1',
        toolCallId: 'lead/call:1.1',
        line: 'pay 40 euros',
      },
    ],
  }),
  aRow(2, { actorsEnded: [{ ...first, status: 'done' }] }),
  aRow(3, { actorsEnded: [{ ...second, status: 'stopped' }] }),
]

test('a question is open from the row that asks it to the row that ends it', () => {
  const model = modelOf(rows)
  const open = rows.map(({ row }) => model.questions.at(row).map(({ path }) => path))
  expect(open).toEqual([[], ['lead/call:1.1', 'lead/call:1.2'], ['lead/call:1.2'], []])
  model.moveTo(1)
  expect(model.open.value).toMatchObject([
    { toolCallId: 'lead/call:1.1', line: 'pay 40 euros', row: 1 },
    { key: 'lead/call:1.2/signal:suspension#1' },
  ])
})
