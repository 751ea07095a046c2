/** What the routing patterns, `router` and `dispatch`, name beside the vocabulary of the loop. */
import { isChild } from '../../actors/actor-path.ts'
import { assign, emit } from 'xstate'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { event } from '../contract/events.ts'
import { isAnswer, type LoopContext } from '../loop/changes/context.ts'
import { noticeMessage, type Report } from '../loop/changes/record.ts'
import { loopSetup } from '../loop/setup.ts'
import { done } from './candidates.ts'
import { onlyChoice, takeDecision, takeResult, writesAnswer, type Choice } from './record.ts'

export const selectionSetup = /* @__PURE__ */ loopSetup.extend({
  guards: {
    hasNoCandidate: ({ context }) => sizeOf(context, 'subagents') + sizeOf(context, 'tools') === 0,
    /** A sole agent is given the task, so there is nothing to decide; afterwards the task may be done. */
    hasOnlyCandidate: ({ context }) =>
      context.step === 1 && sizeOf(context, 'subagents') === 1 && sizeOf(context, 'tools') === 0,
    /** The task is done, and the answer is written in a model call of its own. */
    mustWriteAnswer: ({ context }, params: { report: Report }) =>
      isDone(params.report) && writesAnswer(context),
    choseAgent: ({ context }) => isChild(context.calls[0]?.child ?? '', 'delegation'),
    choseWorkflow: ({ context }) => chosenTool(context)?.isWorkflow === true,
    choseTool: ({ context }) => context.calls.length > 0,
    isBailed: (_, params: { report: Report }) =>
      'record' in params.report && params.report.record.outcome === 'bailed',
    isScoredOnResult: ({ context }) => isScoredOnResult(context) && !writesAnswer(context),
    isScoredToWrite: ({ context }) =>
      isScoredOnResult(context) && writesAnswer(context) && context.step < context.input.maxSteps,
  },
  actions: {
    takeOnlyChoice: assign(({ context }) => takeDecision(context, onlyChoice(context))),
    takeDecision: assign(({ context }, params: Choice) => takeDecision(context, params)),
    takeResult: assign(({ context }) => takeResult(context)),
    takeObject: assign(({ context }, params: { report: Report }) => {
      const object: JsonValue | undefined = 'record' in params.report ? params.report.object : undefined
      return object === undefined ? {} : { said: { ...context.said, object } }
    }),
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

/** The decision was made, and it is that nobody else works on the task. */
function isDone(report: Report): boolean {
  return (
    'decision' in report &&
    report.decision === 'made' &&
    isRecord(report.value) &&
    report.value['primitiveType'] === done.primitiveType
  )
}

function sizeOf({ input }: LoopContext, part: 'subagents' | 'tools'): number {
  return input.profile.toolset[part].size
}

function chosenTool({ calls, input }: LoopContext) {
  return input.profile.toolset.tools.get(calls[0]?.call.name ?? '')
}

/** The scorers are content with what a primitive gave. */
function isScoredOnResult({ verdict, reply }: LoopContext): boolean {
  return verdict.scoring?.outcome === 'passed' && !isAnswer(reply) && reply?.text.trim() !== ''
}
