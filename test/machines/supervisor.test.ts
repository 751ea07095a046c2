import { expect, test } from 'vitest'
import { coverMachine } from 'troupe/testing'
import type { EffectInput } from '../../src/actors/effect-kinds.ts'
import type { CompletionProfile } from '../../src/machines/agent.ts'
import { supervisorMachine } from '../../src/machines/supervisor.ts'
import {
  callsTool,
  dynamic,
  childOutcomes,
  delegationCall,
  heldEvents,
  hookOutcomes,
  loopInput,
  loopKey,
  memoryOutcomes,
  processed,
  rememberingInput,
  replies,
  screenedReplies,
  shaped,
} from './loop-outcomes.ts'
import { cancel } from './support.ts'

const completion: CompletionProfile = {
  scorers: [{ id: 'facts', threshold: 1 }],
  scope: 'agent',
  strategy: 'all',
  parallel: true,
  continueOnFail: true,
  feedbackToLLM: true,
  timeout: 1000,
}
const hooks = { onIterationComplete: 'agent', stopWhen: 'agent' } as const

const cover = coverMachine(supervisorMachine, {
  inputs: {
    plain: loopInput({ toolCallConcurrency: 2 }),
    'the last bail wins': loopInput({ toolCallConcurrency: 2, bailStrategy: 'last', maxSteps: 1 }),
    'with hooks': loopInput({ hooks }),
    'with hooks, hook errors ignored': loopInput({ hooks, hookErrors: 'ignore', completion }),
    'with observers': loopInput({
      hooks: { onStepFinish: 'agent', onFinish: 'agent', stopWhen: 'agent' },
      maxSteps: 1,
    }),
    'with processors': loopInput({ ...processed, maxSteps: 1 }),
    'with processors, scored at every iteration, hook errors ignored': loopInput({
      ...processed,
      hooks: { ...processed.hooks, onStepFinish: 'agent', onFinish: 'agent' },
      hookErrors: 'ignore',
      completion,
      scoreEvery: 'iteration',
      maxSteps: 1,
    }),
    'answers with an object, observed': loopInput({
      ...shaped,
      hooks: { ...shaped.hooks, onStepFinish: 'agent' },
      maxSteps: 1,
    }),
    'answers with an object': loopInput({ ...shaped, maxSteps: 1 }),
    'scored and reviewed': loopInput({ completion, hooks: { onIterationComplete: 'agent' } }),
    'scored at every iteration': loopInput({ completion, scoreEvery: 'iteration' }),
    'scored once': loopInput({ completion: { ...completion, continueOnFail: false }, onExhausted: 'stop' }),
    'scored without feedback': loopInput({ completion: { ...completion, feedbackToLLM: false } }),
    'made for the run': loopInput({ ...dynamic, maxSteps: 1, onExhausted: 'stop' }),
    'made for the run, with processors': loopInput({
      ...dynamic,
      ...processed,
      maxSteps: 1,
      onExhausted: 'stop',
    }),
    'made for the run, remembers': rememberingInput({ ...dynamic, maxSteps: 1, onExhausted: 'stop' }),
    remembers: rememberingInput({ hooks: { stopWhen: 'agent' } }),
    'remembers, observed': rememberingInput({ hooks: { onFinish: 'agent' }, onExhausted: 'stop' }),
  },
  outcomes: {
    ...childOutcomes,
    model: (asked: EffectInput<'model'>) =>
      asked.outputProcessors === undefined
        ? replies([[...callsTool], [delegationCall, { ...delegationCall, id: 'c4' }]])
        : screenedReplies,
    memory: memoryOutcomes,
    hook: (asked: { hook: string }) => hookOutcomes[asked.hook] ?? [],
  },
  events: (snapshot) => [cancel, ...heldEvents(snapshot)],
  stateKey: loopKey,
  invariant(snapshot) {
    const { bail, live } = snapshot.context
    if (bail !== undefined)
      expect(Object.keys(live).some((child) => child.startsWith('completion:'))).toBe(false)
    if (snapshot.status === 'active') return
    expect(['completed', 'bailed', 'exhausted', 'stopped', 'tripped', 'failed', 'cancelled']).toContain(
      snapshot.output?.outcome,
    )
    if (bail !== undefined && snapshot.output?.outcome !== 'cancelled')
      expect(snapshot.output?.outcome).toBe('bailed')
  },
})

test(`supervisor: ${cover.paths.length} paths over ${cover.edges} edges`, async () => {
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
})
