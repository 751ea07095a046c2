import type { Outcome } from 'troupe/testing'
import type { DecisionOutput } from '../../../src/machines/contract/reports.ts'
import type { EffectInput } from '../../../src/actors/effects/effect-kinds.ts'
import { reflexionMachine } from '../../../src/machines/reflexion.ts'
import {
  briefReplies,
  callsTool,
  callsTwo,
  cappedInput,
  childOutcomes,
  dynamic,
  editedInput,
  editedModel,
  handing,
  handingReplies,
  heldEvents,
  hookOutcomes,
  inARow,
  keeping,
  keepingReplies,
  longInput,
  longModel,
  longReplies,
  loopInput,
  loopKey,
  manySayings,
  memoryOutcomes,
  processed,
  rememberingInput,
  replies,
  rowReplies,
  sayEvents,
  screened,
  screenedModel,
  screenedReplies,
  shaped,
  spentKey,
  spokenTo,
} from './loop-outcomes.ts'
import { cancel, failed, fails, spent } from './support.ts'
import { suiteOf } from './suite.ts'

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const made = (name: string, value: DecisionOutput['value']): Outcome<DecisionOutput> => ({
  name,
  value: { kind: 'decision', decision: 'made', value, usage, replies: 1 },
})
const allHooks = { onStepFinish: 'agent', onFinish: 'agent', stopWhen: 'agent' } as const
/** Its model has less to say, or there would be no end of paths. */
const brief = { model: 'scripted/brief' }
const once = { maxSteps: 1, onExhausted: 'stop' } as const

export const reflexionSuite = suiteOf(reflexionMachine(), {
  inputs: {
    'is spoken to': spokenTo(
      loopInput({ ...brief, maxSteps: 2, caps: { maxCritiques: 1 }, hooks: { onFinish: 'agent' } }),
    ),
    'is spoken to, with processors': screened({ maxSteps: 2, caps: { maxCritiques: 0 } }),
    'is spoken to before it is prepared': spokenTo(
      loopInput({ ...brief, ...processed, maxSteps: 1 }),
      manySayings,
    ),
    plain: loopInput({ caps: { maxCritiques: 1 } }),
    'two calls at a time': loopInput({
      ...brief,
      toolCallConcurrency: 2,
      maxSteps: 1,
      caps: { maxCritiques: 1 },
    }),
    'with hooks': loopInput({ hooks: allHooks, maxSteps: 1 }),
    'with hooks, two steps': loopInput({ hooks: { stopWhen: 'agent' }, caps: { maxCritiques: 1 } }),
    'with hooks, hook errors ignored': loopInput({
      ...brief,
      hooks: allHooks,
      hookErrors: 'ignore',
      maxSteps: 1,
    }),
    'answers with an object, observed': loopInput({
      ...shaped,
      hooks: { ...shaped.hooks, onStepFinish: 'agent' },
      maxSteps: 1,
    }),
    'answers with an object': loopInput({ ...brief, ...shaped, maxSteps: 1 }),
    'says the same again': loopInput({ ...brief, maxRepeatedCalls: 1 }),
    'says the same again, asked': loopInput({ ...brief, maxRepeatedCalls: 1, hooks: { stopWhen: 'agent' } }),
    'with processors': loopInput({ ...processed, maxSteps: 1 }),
    'with processors, observed, hook errors ignored': loopInput({
      ...processed,
      hooks: { ...processed.hooks, onStepFinish: 'agent', onFinish: 'agent' },
      hookErrors: 'ignore',
      maxSteps: 1,
    }),
    'must call a tool': loopInput({ ...brief, ...once, toolChoice: 'required' }),
    'stops when exhausted': loopInput({ ...brief, ...once, caps: { maxCritiques: 1 } }),
    'made for the run': loopInput({ ...dynamic, ...once }),
    'made for the run, with processors': loopInput({ ...dynamic, ...processed, ...once }),
    'made for the run, remembers': rememberingInput({ ...dynamic, ...once }),
    remembers: rememberingInput({ ...brief, hooks: { stopWhen: 'agent' } }),
    'remembers, observed, keeps a cut answer': rememberingInput({
      keepPartial: 'thread',
      ...brief,
      hooks: { onFinish: 'agent' },
      onExhausted: 'stop',
    }),
    'models in a row': loopInput({ ...inARow, maxSteps: 1, caps: { maxCritiques: 0 } }),
    'with an old result': editedInput({ maxSteps: 2, caps: { maxCritiques: 0 } }),
    'with an old result, in the last turn': editedInput({ maxSteps: 1, caps: { maxCritiques: 0 } }),
    'with a long conversation': longInput({ maxSteps: 1, caps: { maxCritiques: 0 } }),
    'hands off': loopInput({ ...handing, toolCallConcurrency: 2, maxSteps: 1, onExhausted: 'stop' }),
    'hands off, observed': loopInput({
      ...handing,
      hooks: { onStepFinish: 'agent', onFinish: 'agent' },
      maxSteps: 1,
      onExhausted: 'stop',
    }),
    'hands off, filtered': loopInput({
      ...handing,
      handoffs: { max: 1 },
      hooks: { handoffFilter: 'agent' },
      maxSteps: 1,
      onExhausted: 'stop',
    }),
    'hands off, filtered, hook errors ignored': loopInput({
      ...handing,
      handoffs: { max: 1 },
      hooks: { handoffFilter: 'agent' },
      hookErrors: 'ignore',
      maxSteps: 1,
      onExhausted: 'stop',
    }),
    'was handed as many as may be': cappedInput({ maxSteps: 1 }),
    'goes on with the agent of its thread': rememberingInput({
      ...keeping,
      maxSteps: 1,
      onExhausted: 'stop',
    }),
  },
  outcomes: {
    ...childOutcomes,
    model: (asked: EffectInput<'model'>) => {
      if (asked.model === editedModel) return briefReplies([...callsTool])
      const inRow = rowReplies(asked)
      if (inRow !== undefined) return inRow
      if (asked.model === screenedModel) return briefReplies([...callsTool])
      if (asked.model === longModel) return longReplies(...callsTool)
      if (asked.model === keeping.model) return keepingReplies
      if (asked.model === handing.model) return handingReplies([...callsTool], [...callsTwo])
      if (asked.outputProcessors !== undefined) return screenedReplies
      return asked.model === brief.model ? briefReplies(callsTwo) : replies([[...callsTool]])
    },
    decision: [
      made('is satisfied', { satisfied: true, critique: '' }),
      made('objects', { satisfied: false, critique: 'Say why.' }),
      {
        name: 'is not made',
        value: { kind: 'decision', decision: 'failed', error: failed, usage, replies: 2 },
      },
      fails,
    ],
    memory: memoryOutcomes,
    hook: hookOutcomes,
  },
  events: (snapshot) => [cancel, spent, ...heldEvents(snapshot), ...sayEvents(snapshot)],
  stateKey: (snapshot) =>
    spentKey(snapshot) ?? JSON.stringify([loopKey(snapshot), (snapshot.context as { work: unknown }).work]),
})
