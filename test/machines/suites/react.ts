import type { EffectInput } from '../../../src/actors/effects/effect-kinds.ts'
import { reactMachine } from '../../../src/machines/react.ts'
import {
  behindTool,
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
  screening,
  shaped,
  spokenTo,
} from './loop-outcomes.ts'
import { cancel, spent } from './support.ts'
import { suiteOf } from './suite.ts'

const allHooks = { onStepFinish: 'agent', onFinish: 'agent', stopWhen: 'agent' } as const

export const reactSuite = suiteOf(reactMachine(), {
  inputs: {
    'is spoken to': spokenTo(
      loopInput({ toolCallConcurrency: 2, maxSteps: 2, hooks: { onFinish: 'agent' } }),
    ),
    'is spoken to, in the background': spokenTo(loopInput({ ...behindTool, maxSteps: 2 })),
    'is spoken to, with processors': screened({ maxSteps: 2 }),
    'is spoken to, with processors, asked whether to stop': spokenTo(
      loopInput({
        ...behindTool,
        ...screening,
        hooks: { ...screening.hooks, stopWhen: 'agent' },
        maxSteps: 2,
      }),
    ),
    'is spoken to, with processors, in the background': spokenTo(
      loopInput({ ...behindTool, ...screening, maxSteps: 1 }),
    ),
    'is spoken to before it is prepared': spokenTo(loopInput({ ...processed, maxSteps: 1 }), manySayings),
    plain: loopInput(),
    'two calls at a time': loopInput({ toolCallConcurrency: 2, maxSteps: 1 }),
    'with hooks': loopInput({ hooks: allHooks }),
    'with hooks, hook errors ignored': loopInput({ hooks: allHooks, hookErrors: 'ignore' }),
    'stops without an observer': loopInput({ hooks: { stopWhen: 'agent' } }),
    'answers with an object, observed': loopInput({
      ...shaped,
      hooks: { ...shaped.hooks, onStepFinish: 'agent' },
      maxSteps: 1,
    }),
    'answers with an object': loopInput({ ...shaped, maxSteps: 1 }),
    'says the same again': loopInput({ maxRepeatedCalls: 1 }),
    'says the same again, asked': loopInput({ maxRepeatedCalls: 1, hooks: { stopWhen: 'agent' } }),
    'with processors': loopInput({ ...processed, maxSteps: 1 }),
    'with processors, observed, hook errors ignored': loopInput({
      ...processed,
      hooks: { ...processed.hooks, onStepFinish: 'agent', onFinish: 'agent' },
      hookErrors: 'ignore',
      maxSteps: 1,
    }),
    'must call a tool': loopInput({ toolChoice: 'required' }),
    'stops when exhausted': loopInput({ onExhausted: 'stop' }),
    'made for the run': loopInput({ ...dynamic, maxSteps: 1, onExhausted: 'stop' }),
    'made for the run, with processors': loopInput({
      ...dynamic,
      ...processed,
      maxSteps: 1,
      onExhausted: 'stop',
    }),
    'made for the run, remembers': rememberingInput({ ...dynamic, maxSteps: 1, onExhausted: 'stop' }),
    remembers: rememberingInput({ hooks: { stopWhen: 'agent' } }),
    'remembers, observed, keeps a cut answer': rememberingInput({
      keepPartial: 'thread',
      hooks: { onFinish: 'agent' },
      onExhausted: 'stop',
    }),
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
    'goes on with the agent of its thread, filtered': rememberingInput({
      ...keeping,
      hooks: { handoffFilter: 'agent' },
      maxSteps: 1,
      onExhausted: 'stop',
    }),
    'models in a row': loopInput({ ...inARow, maxSteps: 1 }),
    'with an old result': editedInput({ maxSteps: 2 }),
    'with an old result, in the last turn': editedInput({ maxSteps: 1 }),
    'with a long conversation': longInput(),
    'a tool in the background': loopInput({ ...behindTool, maxSteps: 3 }),
    'a tool in the background, asked whether to stop': loopInput({
      ...behindTool,
      hooks: { stopWhen: 'agent' },
      onExhausted: 'stop',
      maxSteps: 2,
    }),
    'tools in the background, more than have a place': loopInput({
      ...behindTool,
      model: 'scripted/behind two',
      maxSteps: 1,
    }),
    'hands off, beside a tool in the background': loopInput({
      ...handing,
      ...behindTool,
      model: handing.model,
      toolset: behindTool.toolset.handingTo({ billing: { id: 'billing', description: 'Knows invoices.' } }),
      hooks: { onFinish: 'agent' },
      maxSteps: 1,
      onExhausted: 'stop',
    }),
    'delegated to in the background, waits for its tool': {
      ...loopInput({ ...behindTool, maxSteps: 1 }),
      awaitsTools: true,
    },
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
      if (asked.model === behindTool.model) return briefReplies([...callsTool])
      if (asked.model === 'scripted/behind two') return briefReplies([...callsTwo])
      return asked.outputProcessors === undefined ? replies([[...callsTool], [...callsTwo]]) : screenedReplies
    },
    memory: memoryOutcomes,
    hook: hookOutcomes,
  },
  events: (snapshot) => [cancel, spent, ...heldEvents(snapshot), ...sayEvents(snapshot)],
  stateKey: loopKey,
})
