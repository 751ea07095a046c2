/** The prompt for a routing decision: the candidates, and the format of the decision. */
import type { Question } from '../loop/changes/decision-input.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import type { Primitive } from '../contract/events.ts'
import { describePrimitives, done, nameOf, primitivesOf } from './candidates.ts'
import { lastResult, writesAnswer } from './record.ts'
import { checkRouting, routedCalls, routingFormat } from './routing-decision.ts'

/** A router goes on until the task is done; a dispatcher hands the task over, once. */
export type Mode = 'router' | 'dispatcher'

/** The candidates of the present decision. */
export function candidatesOf({ input }: LoopContext, mode: Mode): Primitive[] {
  const primitives = primitivesOf(input.profile.toolset)
  return mode === 'router' ? [...primitives, done] : primitives
}

export function routingQuestion(context: LoopContext, mode: Mode): Question {
  const { toolset } = context.input.profile
  const candidates = candidatesOf(context, mode)
  const rules = {
    toolset,
    candidates,
    handsOver: mode === 'dispatcher',
    mayLeaveAnswerOut: writesAnswer(context) || lastResult(context) !== undefined,
  }
  const parts = mode === 'router' ? routerParts(context) : dispatcherParts()
  return {
    subject: 'routing decision',
    prompt: [
      parts.task,
      describePrimitives(toolset),
      ...parts.rules,
      `Answer with one JSON value and nothing else: {"primitiveId":"<key>","primitiveType":"<${typesOf(candidates)}>","prompt":"<text>","selectionReason":"<why>"}`,
    ].join('\n'),
    responseFormat: routingFormat(candidates),
    check: (text, verdicts) => checkRouting(text, rules, verdicts),
    calls: (text) => routedCalls(text, rules),
  }
}

const inputRule = 'For a workflow or tool, prompt is its input: the JSON text of an object.'

function routerParts(context: LoopContext) {
  const { step, input } = context
  const answer = writesAnswer(context)
    ? 'Leave prompt empty then: you will be asked for the answer.'
    : lastResult(context) === undefined
      ? 'Then prompt is the answer to the user.'
      : 'Then prompt is the answer to the user; leave it empty where the last result is the answer as it stands.'
  return {
    task: `Iteration ${step} of at most ${input.maxSteps}. Choose what works on the task next, or end it. On offer:`,
    rules: [
      'For an agent, prompt is its complete task. It sees the conversation, and nothing of what others have found out: put in what it needs.',
      inputRule,
      `When the task is done, or needs none of these, choose ${nameOf(done)}. ${answer}`,
    ],
  }
}

function dispatcherParts() {
  return {
    task: 'Do not work on the task yourself. Choose who is to answer it. On offer:',
    rules: ['An agent is given the task as it stands: leave prompt empty.', inputRule],
  }
}

function typesOf(candidates: readonly Primitive[]): string {
  return [...new Set(candidates.map(({ primitiveType }) => primitiveType))].join(' | ')
}
