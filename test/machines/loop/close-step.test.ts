/** A state that ends an agent closes the step under way, if there is one. */
import { expect, test } from 'vitest'
import { createTool } from 'troupe'
import { z } from 'zod'
import { Toolset } from '../../../src/actors/toolset/toolset.ts'
import { AppendLog } from '../../../src/actors/values/append-log.ts'
import { noUsage } from '../../../src/actors/usage.ts'
import { closeOpenStep, closeStep, cutStepShort } from '../../../src/machines/loop/changes/close-step.ts'
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
    const { change, events } = closeOpenStep(context, closeStep)
    expect(change.ledger?.steps.toArray()).toMatchObject([{ step: 1 }])
    expect(events.map(({ type }) => type)).toEqual(['step-finish'])
  }
})

test('a step without a reply and without calls is not', () => {
  expect(closeOpenStep(begun, closeStep)).toEqual({ change: {}, events: [] })
})

test('a step is recorded once', () => {
  const open = { ...begun, reply }
  expect(closeOpenStep({ ...open, ...closeOpenStep(open, closeStep).change }, closeStep)).toEqual({
    change: {},
    events: [],
  })
})

test('a pattern closes its steps in its own way', () => {
  const closed = { change: { drafts: 1 }, events: [] }
  expect(closeOpenStep({ ...begun, reply }, () => closed)).toBe(closed)
})

test('the tools of a step move the tool state, but not when a bail cuts the step short', () => {
  const find = createTool({
    id: 'find',
    description: 'Finds.',
    inputSchema: z.object({}),
    nextState: 'found',
    execute: () => 'found',
  })
  const child = 'call:1.1'
  const called: LoopContext = {
    ...(initialContext(loopInput({ toolset: Toolset.of({ find }) })) as LoopContext),
    step: 1,
    reply,
    calls: [{ child, call: { id: 'c1', name: 'find', args: {} } }],
    settled: AppendLog.of([
      {
        child,
        content: 'found',
        result: { id: child, name: 'find', outcome: 'succeeded', value: 'found' },
      },
    ]),
  }
  const closed = closeOpenStep(called, closeStep)
  expect(closed.events.map(({ type }) => type)).toEqual(['tool-state', 'step-finish'])
  expect(closed.change.input?.profile.toolState).toBe('found')
  const cut = closeOpenStep(called, cutStepShort)
  expect(cut.events.map(({ type }) => type)).toEqual(['step-finish'])
  expect(cut.change.input).toBeUndefined()
})
