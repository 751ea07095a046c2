/** A state that ends an agent closes the step under way, if there is one. */
import { expect, test } from 'vitest'
import { noUsage } from '../../../src/actors/usage.ts'
import { closeOpenStep } from '../../../src/machines/loop/changes/close-step.ts'
import { initialContext, type LoopContext } from '../../../src/machines/loop/changes/context.ts'
import { loopInput } from '../suites/loop-outcomes.ts'

const reply = { text: 'Thinking.', toolCalls: [], finishReason: 'stop', usage: noUsage } as const
const calls = [{ child: 'call:1.1', call: { id: 'c1', name: 'plain', args: {} } }]
const begun: LoopContext = { ...(initialContext(loopInput()) as LoopContext), step: 1 }

test('a step with a reply or with calls is recorded', () => {
  for (const context of [
    { ...begun, reply },
    { ...begun, calls },
  ]) {
    const { change, events } = closeOpenStep(context)
    expect(change.ledger?.steps.toArray()).toMatchObject([{ step: 1 }])
    expect(events.map(({ type }) => type)).toEqual(['step-finish'])
  }
})

test('a step without a reply and without calls is not', () => {
  expect(closeOpenStep(begun)).toEqual({ change: {}, events: [] })
})

test('a step is recorded once', () => {
  const open = { ...begun, reply }
  expect(closeOpenStep({ ...open, ...closeOpenStep(open).change })).toEqual({ change: {}, events: [] })
})

test('a pattern closes its steps in its own way, and cuts those short that a bail ends', () => {
  const whole = { change: { drafts: 1 }, events: [] }
  const cut = { change: { drafts: 2 }, events: [] }
  const close = (context: LoopContext) =>
    closeOpenStep(
      context,
      () => whole,
      () => cut,
    )
  expect(close({ ...begun, reply })).toBe(whole)
  expect(close({ ...begun, reply, ending: { outcome: 'bailed' } })).toBe(cut)
})
