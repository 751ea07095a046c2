/** What of a chart an actor is in, was in, and took, after a row. */
import { describe, expect, test } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { chartOf } from '../../../../src/actors/charts/chart.ts'
import { Highlights } from '../../../../src/inspector/page/chart/highlights.ts'
import { Actor } from '../../../../src/inspector/page/model/actor.ts'
import { ChartIndex } from '../../../../src/drawing/chart-index.ts'
import { initialState, stateName } from '../../../../src/runtime/trail/state-names.ts'
import { recordedRun } from '../recorded-run.ts'
import { deep, nested, parallel } from './charts.ts'

const order = new ChartIndex(chartOf(nested))

/** An order that is paid by row 3, packed by row 5 and billed by row 8. */
function anOrder(): Actor {
  const actor = new Actor({ path: 'order', machine: 'order' }, 2)
  const step = { path: 'order', machine: 'order', position: 0 }
  const [waiting, packed] = ['working.packing.waiting', 'working.packing.packed']
  const [due, billed] = ['working.billing.due', 'working.billing.billed']
  actor.take({ ...step, source: 'open', from: 'open', to: `${waiting}, ${due}` }, 3)
  actor.take({ ...step, source: waiting, from: `${waiting}, ${due}`, to: `${packed}, ${due}` }, 5)
  actor.take({ ...step, source: due, from: `${packed}, ${due}`, to: `${packed}, ${billed}` }, 8)
  actor.take({ ...step, source: 'working', from: `${packed}, ${billed}`, to: 'sent' }, 8)
  return actor
}

function at(row: number): Highlights {
  return new Highlights(order, row < 2 ? undefined : anOrder(), row)
}

describe('an actor in parallel states', () => {
  test('is in all of them, and was in those before', () => {
    expect(['open', 'working', 'sent'].map((path) => at(1).of(path))).toEqual(['never', 'never', 'never'])
    expect(['open', 'working', 'sent'].map((path) => at(2).of(path))).toEqual(['now', 'never', 'never'])
    const paths = [
      'open',
      'working',
      'working.packing',
      'working.packing.waiting',
      'working.billing.due',
      'sent',
    ]
    expect(paths.map((path) => at(4).of(path))).toEqual(['visited', 'now', 'now', 'now', 'now', 'never'])
    expect(paths.map((path) => at(6).of(path))).toEqual(['visited', 'now', 'now', 'visited', 'now', 'never'])
    expect(paths.map((path) => at(8).of(path))).toEqual([
      'visited',
      'visited',
      'visited',
      'visited',
      'visited',
      'now',
    ])
  })

  test('is looked into at the state that all active states are in', () => {
    expect([1, 2, 4, 8].map((row) => at(row).focus)).toEqual(['', '', 'working', ''])
  })

  test('of a parallel chart is looked into where a state has active states inside', () => {
    const upload = new ChartIndex(chartOf(parallel))
    const actor = new Actor({ path: 'upload', machine: 'upload' }, 0)
    expect(new Highlights(upload, actor, 0).focus).toBe('')
    const to = 'transfer.sending.first, notice.hidden, lamp'
    const from = upload.initial
    actor.take({ path: 'upload', machine: 'upload', source: 'transfer.idle', position: 0, from, to }, 1)
    expect(new Highlights(upload, actor, 1).focus).toBe('transfer.sending')
  })

  test('has taken ways, by the row itself or before', () => {
    const pay = [{ source: 'open', position: 0 }]
    expect([2, 3, 4].map((row) => at(row).ofWay(pay))).toEqual(['never', 'now', 'visited'])
    expect([2, 3, 8].map((row) => at(row).count(pay))).toEqual([0, 1, 1])
  })
})

test.each([parallel, nested, deep])('the states of %s have the names that a trail gives them', (machine) => {
  const index = new ChartIndex(chartOf(machine))
  expect(index.initial).toBe(initialState(machine.root))
  const actor = createActor(machine).start()
  for (const type of ['start', 'next', 'fail', 'retry', 'pay', 'pack', 'bill', 'leave', 'reset', 'drop']) {
    const snapshot = actor.getSnapshot()
    const ids = snapshot._nodes.filter((node) => node.path.length > 0).map((node) => node.path.join('.'))
    expect(index.active(stateName(snapshot.value)).toSorted()).toEqual(ids.toSorted())
    actor.send({ type })
  }
})

test('the counts of the ways are those of the rows', async () => {
  const { model, rows } = await recordedRun(1, 'supervisor')
  const path = model.path.value
  for (let row = 0; row < rows.length; row++) {
    model.moveTo(row)
    const { chart: index, actor } = { chart: model.chart.value, actor: model.actor.value }
    if (index === undefined) return expect.unreachable()
    const highlights = new Highlights(index, actor, row)
    const taken = rows
      .slice(0, row + 1)
      .flatMap(({ transitions }) => transitions.filter((one) => one.path === path))
    const keys = new Map(taken.map((one) => [`${one.source} ${one.position}`, one]))
    for (const [key, one] of keys) {
      const count = taken.filter((other) => `${other.source} ${other.position}` === key).length
      expect(highlights.count([one])).toBe(count)
      const isNow = rows[row]?.transitions.some(
        (other) => other.path === path && `${other.source} ${other.position}` === key,
      )
      expect(highlights.ofWay([one])).toBe(isNow ? 'now' : 'visited')
    }
    for (const { to } of taken)
      for (const state of index.active(to)) expect(highlights.of(state)).not.toBe('never')
  }
})

test('a transition without a target has no words but its own', () => {
  const index = new ChartIndex(
    chartOf(
      createMachine({
        id: 'lamp',
        description: 'A lamp.',
        initial: 'off',
        on: { touch: { actions: 'glow' }, warm: { actions: 'glow', description: 'It warms up.' } },
        states: { off: { on: { press: 'on' } }, on: { description: 'It shines.' } },
      }),
    ),
  )
  const words = [0, 1].map((position) => index.descriptionOf({ source: '', position }))
  expect(words).toEqual([undefined, 'It warms up.'])
  expect(index.descriptionOf({ source: 'off', position: 0 })).toBe('It shines.')
})
