import type { EffectInput } from '../../../src/actors/effects/effect-kinds.ts'
import type { CompletionProfile } from '../../../src/machines/contract/profile.ts'
import { supervisorMachine } from '../../../src/machines/supervisor.ts'
import {
  behindTool,
  briefReplies,
  callsTool,
  cappedInput,
  childOutcomes,
  delegated,
  delegationCall,
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
import { cancel, failed, fails, spent } from './support.ts'
import { suiteOf } from './suite.ts'

const completion: CompletionProfile = {
  scorers: [{ id: 'facts', threshold: 1 }],
  scope: 'agent',
  strategy: 'all',
  parallel: true,
  continueOnFail: true,
  feedbackToLLM: true,
  timeout: 1000,
}
/** Its model has less to say, or there would be no end of paths. */
const behind = {
  model: 'scripted/brief',
  background: { researcher: { timeout: 1000, concurrency: 1 } },
}
/** As `behind`, and beside the delegation there is a call that the step waits for. */
const beside = { ...behind, model: 'scripted/beside', toolCallConcurrency: 2 }
const hooks = { onIterationComplete: 'agent', stopWhen: 'agent' } as const

export const supervisorSuite = suiteOf(supervisorMachine(), {
  inputs: {
    'is spoken to': spokenTo(
      loopInput({ toolCallConcurrency: 2, maxSteps: 2, hooks: { onFinish: 'agent' } }),
    ),
    'is spoken to, in the background': spokenTo(loopInput({ ...behind, maxSteps: 2 })),
    'is spoken to, with processors': screened({ maxSteps: 2 }),
    'is spoken to, with processors, scored': screened({ completion, maxSteps: 1 }),
    'is spoken to, with processors, in the background': spokenTo(
      loopInput({ ...behind, ...screening, maxSteps: 1 }),
    ),
    'is spoken to before it is prepared': spokenTo(loopInput({ ...processed, maxSteps: 1 }), manySayings),
    plain: loopInput({ toolCallConcurrency: 2 }),
    'the last bail wins': loopInput({ toolCallConcurrency: 2, bailStrategy: 'last', maxSteps: 1 }),
    'with hooks': loopInput({ hooks }),
    'with hooks, hook errors ignored': loopInput({ hooks, hookErrors: 'ignore', completion }),
    'with observers': loopInput({
      hooks: { onStepFinish: 'agent', onFinish: 'agent', stopWhen: 'agent' },
      maxSteps: 1,
    }),
    'says the same again': loopInput({ model: behind.model, maxRepeatedCalls: 1 }),
    'says the same again, asked': loopInput({
      model: behind.model,
      maxRepeatedCalls: 1,
      hooks: { stopWhen: 'agent' },
    }),
    'models in a row': loopInput({ ...inARow, maxSteps: 1 }),
    'with an old result': editedInput({ maxSteps: 2 }),
    'with an old result, in the last turn': editedInput({ maxSteps: 1 }),
    'with a long conversation': longInput({ maxSteps: 1 }),
    'in the background': loopInput({ ...behind, maxSteps: 3 }),
    'in the background, ended by hooks': loopInput({ ...behind, hooks, onExhausted: 'stop', maxSteps: 1 }),
    'in the background, asked whether to stop': loopInput({
      ...behind,
      model: 'scripted/single',
      hooks: { stopWhen: 'agent' },
      onExhausted: 'stop',
      maxSteps: 3,
    }),
    'in the background, beside a call': loopInput({ ...beside, onExhausted: 'stop', maxSteps: 1 }),
    'a tool and a subagent with tools, in the background': loopInput({
      ...behindTool,
      toolset: behindTool.toolset.withSubagents({
        researcher: { id: 'researcher', description: 'Finds facts.', background: { concurrency: 1 } },
      }),
      model: beside.model,
      onExhausted: 'stop',
      maxSteps: 1,
    }),
    'in the background, scored': loopInput({ ...behind, completion, maxSteps: 2 }),
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
    'must call a tool': loopInput({
      model: behind.model,
      toolChoice: 'required',
      onExhausted: 'stop',
      maxSteps: 1,
    }),
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
    'hands off, beside delegations in the background': loopInput({
      ...handing,
      background: behind.background,
      toolCallConcurrency: 2,
      hooks: { onFinish: 'agent' },
      maxSteps: 1,
      onExhausted: 'stop',
    }),
  },
  outcomes: {
    ...childOutcomes,
    delegation: ({ path }) => {
      const text = `facts of ${path}`
      const [error, more] = [failed, { id: path, text }]
      return [
        delegated('succeeded', more),
        delegated('bailed', more),
        delegated('failed', { ...more, error }),
        fails,
      ]
    },
    model: (asked: EffectInput<'model'>) => {
      if (asked.model === editedModel) return briefReplies([...callsTool])
      const inRow = rowReplies(asked)
      if (inRow !== undefined) return inRow
      const delegates = [delegationCall, { ...delegationCall, id: 'c4' }]
      if (asked.model === screenedModel) return briefReplies([...callsTool])
      if (asked.model === longModel) return longReplies(...callsTool)
      if (asked.model === keeping.model) return keepingReplies
      if (asked.model === handing.model) return handingReplies([delegationCall], [...callsTool])
      if (asked.outputProcessors !== undefined) return screenedReplies
      if (asked.model === 'scripted/single') return briefReplies([delegationCall])
      if (asked.model === beside.model) return briefReplies([delegationCall, ...callsTool])
      return asked.model === behind.model ? briefReplies(delegates) : replies([[...callsTool], delegates])
    },
    memory: memoryOutcomes,
    hook: hookOutcomes,
  },
  events: (snapshot) => [cancel, spent, ...heldEvents(snapshot), ...sayEvents(snapshot)],
  stateKey: loopKey,
})
