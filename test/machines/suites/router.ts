import type { EffectInput } from '../../../src/actors/effects/effect-kinds.ts'
import type { CompletionProfile } from '../../../src/machines/contract/profile.ts'
import { routerMachine } from '../../../src/machines/router.ts'
import {
  childOutcomes,
  dynamic,
  heldEvents,
  hookOutcomes,
  inARow,
  lacksUsage,
  longInput,
  longModel,
  longReplies,
  loopInput,
  memoryOutcomes,
  processed,
  rememberingInput,
  replies,
  reply,
  rowReplies,
  sayEvents,
  screenedReplies,
  shaped,
  spokenTo,
} from './loop-outcomes.ts'
import { choice, onlyAgent, selectionKey, takes, undecidedOutcomes } from './selection-outcomes.ts'
import { cancel, fails, spent } from './support.ts'
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
const lastWords = [reply('answers', { text: 'The answer.' }), reply('is empty', {}), fails, lacksUsage]

/** Only an agent is chosen, and the end: or there would be no end of paths. */
const brief = 'scripted/brief'
const scored = { toolset: choice, completion, scoreEvery: 'iteration', model: brief } as const
const once = { maxSteps: 1, onExhausted: 'stop' } as const

export const routerSuite = suiteOf(routerMachine(), {
  inputs: {
    'is spoken to': spokenTo(
      loopInput({ toolset: choice, model: brief, maxSteps: 1, hooks: { onFinish: 'agent' } }),
    ),
    plain: loopInput({ toolset: choice }),
    'one agent alone': loopInput({ toolset: onlyAgent }),
    'with hooks': loopInput({
      toolset: choice,
      model: brief,
      hooks: { onIterationComplete: 'agent', stopWhen: 'agent' },
    }),
    'with hooks, hook errors ignored': loopInput({
      ...scored,
      hooks: { onIterationComplete: 'agent', stopWhen: 'agent' },
      hookErrors: 'ignore',
      maxSteps: 1,
    }),
    'reviewed, hook errors ignored': loopInput({
      toolset: onlyAgent,
      hooks: { onIterationComplete: 'agent' },
      hookErrors: 'ignore',
      maxSteps: 1,
    }),
    'with observers': loopInput({
      toolset: choice,
      hooks: { onStepFinish: 'agent', onFinish: 'agent' },
      maxSteps: 1,
    }),
    'says the same again': loopInput({ toolset: choice, model: brief, maxRepeatedCalls: 1 }),
    'says the same again, asked': loopInput({
      toolset: choice,
      model: brief,
      maxRepeatedCalls: 1,
      hooks: { stopWhen: 'agent' },
    }),
    scored: loopInput(scored),
    'scored, asked': loopInput({ ...scored, hooks: { stopWhen: 'agent' } }),
    'scored and reviewed': loopInput({ ...scored, hooks: { onIterationComplete: 'agent' }, maxSteps: 1 }),
    'scored once': loopInput({
      ...scored,
      completion: { ...completion, continueOnFail: false },
      onExhausted: 'stop',
    }),
    'scored without feedback': loopInput({
      ...scored,
      completion: { ...completion, feedbackToLLM: false },
    }),
    'writes its answer': loopInput({ ...shaped, ...scored }),
    'writes its answer, unscored': loopInput({ ...shaped, toolset: choice, model: brief }),
    'writes its answer, asked': loopInput({
      ...shaped,
      toolset: choice,
      hooks: { ...shaped.hooks, stopWhen: 'agent' },
      maxSteps: 2,
    }),
    'writes its answer, observed': loopInput({
      ...shaped,
      toolset: choice,
      hooks: { ...shaped.hooks, onStepFinish: 'agent' },
      maxSteps: 1,
    }),
    'with processors': loopInput({ ...processed, ...scored, maxSteps: 1 }),
    'with processors, observed, hook errors ignored': loopInput({
      ...processed,
      toolset: choice,
      model: brief,
      hooks: { ...processed.hooks, onStepFinish: 'agent', onFinish: 'agent' },
      hookErrors: 'ignore',
      maxSteps: 1,
    }),
    'writes its answer, with models in a row': loopInput({
      ...shaped,
      ...inARow,
      toolset: choice,
      maxSteps: 1,
    }),
    'writes its answer, with a long conversation': longInput({ ...shaped, toolset: choice, maxSteps: 1 }),
    'made for the run': loopInput({ ...dynamic, ...once }),
    'made for the run, with processors': loopInput({ ...dynamic, ...processed, ...once }),
    'made for the run, remembers': rememberingInput({ ...dynamic, ...once }),
    remembers: rememberingInput({ toolset: onlyAgent, hooks: { stopWhen: 'agent' } }),
    'remembers, observed, keeps a cut answer': rememberingInput({
      keepPartial: 'thread',
      toolset: onlyAgent,
      hooks: { onFinish: 'agent' },
      onExhausted: 'stop',
    }),
  },
  outcomes: {
    ...childOutcomes,
    decision: (asked: { model: string }) =>
      asked.model === longModel
        ? [takes('none'), ...undecidedOutcomes.slice(1, 2)]
        : asked.model === brief || asked.model === inARow.model
          ? [takes('agent'), takes('none')]
          : [takes('agent'), takes('workflow'), takes('tool'), takes('none'), ...undecidedOutcomes],
    model: (asked: EffectInput<'model'>) => {
      const inRow = rowReplies(asked)
      if (inRow !== undefined) return inRow
      if (asked.outputProcessors !== undefined) return screenedReplies
      if (asked.model === longModel) return longReplies()
      return asked.finalTurn === true ? lastWords : replies([])
    },
    memory: memoryOutcomes,
    hook: hookOutcomes,
  },
  events: (snapshot) => [cancel, spent, ...heldEvents(snapshot), ...sayEvents(snapshot)],
  stateKey: selectionKey,
})
