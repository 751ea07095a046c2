/** The guards and actions of the routing patterns, `router` and `dispatch`, beside those of every loop. */
import { assign, emit, enqueueActions } from 'xstate'
import { saysAnything } from '../../actors/content/content.ts'
import { isRecord } from '../../actors/values/json.ts'
import { event } from '../contract/events.ts'
import { closeOpenStep, closeStep, type Closed } from '../loop/changes/close-step.ts'
import { isAnswer, type LoopContext } from '../loop/changes/context.ts'
import { exhaust } from '../loop/changes/next-step.ts'
import { noticeMessage } from '../loop/changes/record.ts'
import { loopSetup } from '../loop/setup.ts'
import { done } from './candidates.ts'
import { onlyChoice, takeDecision, takeResult, writesAnswer, type Choice } from './record.ts'
import { applied } from '../shared/applied.ts'

export const selectionSetup = /* @__PURE__ */ loopSetup.extend({
  guards: {
    hasNoCandidate: ({ context }) => sizeOf(context, 'subagents') + sizeOf(context, 'tools') === 0,
    /** A sole agent is given the task, so there is nothing to decide; afterwards the task may be done. */
    hasOnlyCandidate: ({ context }) =>
      context.step === 1 && sizeOf(context, 'subagents') === 1 && sizeOf(context, 'tools') === 0,
    /** The task is done, and the answer is written in a model call of its own. */
    mustWriteAnswer: ({ context }) => isDone(context) && writesAnswer(context),
    choseNothing: ({ context }) => context.calls.length === 0,
    isScoredOnResult: ({ context }) => isScoredOnResult(context) && !writesAnswer(context),
    isScoredToWrite: ({ context }) =>
      isScoredOnResult(context) && writesAnswer(context) && context.step < context.input.maxSteps,
  },
  actions: {
    takeOnlyChoice: assign(({ context }) => takeDecision(context, onlyChoice(context))),
    takeDecision: assign(({ context }, params: Choice) => takeDecision(context, params)),
    exhaust: assign(({ context }) => exhaust(context, 'maxIterations')),
    /** The result of the call, if there was one, is the text of the step. */
    closeStep: enqueueActions(({ enqueue, context }) =>
      applied(enqueue, context.started > 0 ? closeStepWithResult(context) : closeStep(context)),
    ),
    cutOpenStep: enqueueActions(({ enqueue, context }) =>
      applied(enqueue, closeOpenStep(context, closeStepWithResult)),
    ),
    askForAnswerNow: assign(({ context }) => ({
      messages: context.messages.append(
        noticeMessage('The task is done. Give the final answer to the user now.'),
      ),
    })),
    announceDecision: emit(({ context }, params: Choice) => routed(context, params)),
    announceOnlyChoice: emit(({ context }) => routed(context, onlyChoice(context))),
  },
})

function routed(context: LoopContext, { decision, candidates, criterion }: Choice) {
  const { primitiveId, primitiveType, prompt, selectionReason } = decision
  return event('routing-decision', {
    iteration: context.step,
    candidates,
    primitiveId,
    primitiveType,
    prompt,
    selectionReason,
    criterion,
  })
}

/** The decision is `none`: the task is done. */
function isDone({ verdict: { decision } }: LoopContext): boolean {
  return (
    decision?.decision === 'made' &&
    isRecord(decision.value) &&
    decision.value['primitiveType'] === done.primitiveType
  )
}

export function closeStepWithResult(context: LoopContext): Closed {
  const result = takeResult(context)
  const { change, events } = closeStep({ ...context, ...result })
  return { change: { ...result, ...change }, events }
}

function sizeOf({ input }: LoopContext, part: 'subagents' | 'tools'): number {
  return input.profile.toolset[part].size
}

/** The scorers accept the result of a primitive. */
function isScoredOnResult({ verdict, reply }: LoopContext): boolean {
  return (
    verdict.scoring?.outcome === 'passed' && !isAnswer(reply) && (reply === undefined || saysAnything(reply))
  )
}
