/** The arrow to the next step is one; these are the reasons that the model is told. */
import { expect, test } from 'vitest'
import { noUsage } from '../../../src/actors/usage.ts'
import { initialContext, type LoopContext } from '../../../src/machines/loop/changes/context.ts'
import { reasonForNextStep } from '../../../src/machines/loop/changes/next-step.ts'
import type { CompletionProfile } from '../../../src/machines/contract/profile.ts'
import { loopInput } from '../suites/loop-outcomes.ts'

const completion: CompletionProfile = {
  scorers: [{ id: 'facts', threshold: 1 }],
  scope: 'agent',
  strategy: 'all',
  parallel: true,
  continueOnFail: true,
  feedbackToLLM: true,
  timeout: 1000,
}

function after(text: string, more: Partial<LoopContext> = {}, profile = {}): LoopContext {
  const context = initialContext(loopInput(profile)) as LoopContext
  const reply = { text, toolCalls: [], finishReason: 'stop', usage: noUsage } as const
  return { ...context, step: 2, reply, ...more }
}

function unmet(profile: CompletionProfile, text = 'The answer.'): LoopContext {
  const context = after(text, {}, { completion: profile })
  const scoring = {
    kind: 'completion',
    iteration: 2,
    outcome: 'failed',
    results: [],
    feedback: 'Name a source.',
  } as const
  return { ...context, verdict: { ...context.verdict, scoring } }
}

/** The messages that are added for the model. */
function added(context: LoopContext): unknown[] {
  const { messages = context.messages } = reasonForNextStep(context).change
  return messages.toArray().slice(context.messages.length)
}

test('the feedback of the scorers becomes a message and an event', () => {
  const context = unmet(completion)
  expect(added(context)).toEqual([{ role: 'user', content: 'Name a source.', internal: 'scoring' }])
  expect(reasonForNextStep(context).events).toMatchObject([
    { type: 'iteration-feedback', payload: { iteration: 2, message: 'Name a source.' } },
  ])
})

test('feedback that the user keeps from the model is no reason', () => {
  expect(reasonForNextStep(unmet({ ...completion, feedbackToLLM: false }))).toEqual({
    change: {},
    events: [],
  })
})

test('an empty reply is answered with a request for an answer', () => {
  const context = after(' ')
  expect(added(context)).toMatchObject([{ role: 'user', internal: 'notice' }])
  expect(reasonForNextStep(context).events).toEqual([])
})

test('the feedback of the scorers goes before the request for an answer', () => {
  expect(added(unmet(completion, ''))).toMatchObject([{ internal: 'scoring' }])
})

test('results of calls speak for themselves', () => {
  const calls = [{ child: 'call:2.1', call: { id: 'c1', name: 'plain', args: {} } }]
  expect(reasonForNextStep(after('', { calls }))).toEqual({ change: {}, events: [] })
})
