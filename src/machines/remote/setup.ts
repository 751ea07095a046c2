/** The guards and actions of an agent that another system serves, beside those of every loop. */
import { assign, emit, enqueueActions } from 'xstate'
import { effect } from '../../actors/effects/effect.ts'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { RemoteAnswer, RemoteQuestion, RemoteTask } from '../../actors/remote/remote-effects.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { acceptDraft, recordDraft } from '../loop/changes/screening.ts'
import { createLoop } from '../loop/setup.ts'
import {
  answerQuestion,
  closeOpenCalls,
  closeTask,
  doubt,
  openQuestion,
  openTask,
  replyOf,
  verdict,
  type RemoteWork,
} from './work.ts'
import { applied } from '../shared/applied.ts'

export type Outcome = EffectOutcome<'remote'>

type Answered = EffectOutcome<'signal'>

/** Provided to the chart. */
export const remoteActors = { remote: effect('remote'), signal: effect('signal') } as const

export const remoteSetup = /* @__PURE__ */ createLoop<RemoteWork, typeof remoteActors>().extend({
  guards: {
    hasBegun: (_, params: Outcome) => params.type === 'begun',
    /** The server has begun a task that nobody waits for any more. */
    beginsTooLate: ({ context: { work } }, params: Outcome) => work.isCalledOff && params.type === 'begun',
    /** The run goes on from an earlier point, and may have sent the message before. */
    isInDoubt: (_, params: Outcome) => params.type === 'interrupted' && params.restored === true,
    saysYes: (_, { approved }: Answered) => approved,
    givesAnswer: (_, { approved, data }: Answered) => approved && isRecord(data) && 'result' in data,
    isCalledOff: ({ context: { work } }) => work.isCalledOff,
    isAnswered: (_, params: Outcome) => params.type === 'answered',
    isAsked: (_, params: Outcome) => params.type === 'asks',
    hasEnded: (_, params: Outcome) => params.type === 'ended',
    /** No message was sent, or the server has nothing to do any more. */
    isOver: ({ context: { work } }) => work.isOver || work.sent === 0,
    hasTask: ({ context: { work } }) => work.task !== undefined,
    /** A question that is no choice between yes and no is left unanswered. */
    refusesAnswer: ({ context: { work } }, { approved }: Answered) =>
      !approved && work.question?.type !== 'approval',
    isShaped: ({ context }) => context.input.profile.responseFormat !== undefined,
  },
  actions: {
    openTask: enqueueActions(({ enqueue, context }) => applied(enqueue, openTask(context))),
    beginMessage: assign(({ context: { work } }) => ({
      work: { ...work, sent: work.sent + 1, isAgain: false },
    })),
    sendAgain: assign(({ context: { work } }) => ({ work: { ...work, isAgain: true } })),
    recordTask: assign(({ context: { work, attempts } }, params: RemoteTask) => ({
      work: { ...work, task: params },
      attempts: { ...attempts, failures: 0 },
    })),
    forgetFailures: assign(({ context: { attempts } }) => ({ attempts: { ...attempts, failures: 0 } })),
    callOff: assign(({ context: { work } }) => ({ work: { ...work, isCalledOff: true } })),
    recordOver: assign(({ context: { work } }) => ({ work: { ...work, isOver: true } })),
    openQuestion: enqueueActions(({ enqueue, context }, params: RemoteQuestion) =>
      applied(enqueue, openQuestion(context, params)),
    ),
    answerQuestion: enqueueActions(({ enqueue, context }, params: Answered) =>
      applied(enqueue, answerQuestion(context, params)),
    ),
    announceDoubt: emit(({ context }) => doubt(context)),
    announceVerdict: emit(({ context }, params: Answered) => verdict(context, params)),
    /** The answer is a draft that output processors check. */
    takeAnswer: assign(({ context }, params: RemoteAnswer) => recordDraft(context, replyOf(context, params))),
    /** The calls of the step are those that are shown for the task, and none of the answer. */
    acceptDraft: assign(({ context }) => {
      const { calls, settled } = context
      return { ...acceptDraft(context), calls, settled }
    }),
    closeTask: enqueueActions(({ enqueue, context }) => applied(enqueue, closeTask(context))),
    closeOpenCalls: enqueueActions(({ enqueue, context }) => applied(enqueue, closeOpenCalls(context))),
  },
})

/** A part of the outcome of a request whose type is known. */
export const taskOf = ({ event }: { event: { readonly output: Outcome } }) =>
  (event.output as Extract<Outcome, { type: 'begun' }>).task
export const answerIn = ({ event }: { event: { readonly output: Outcome } }) => event.output as RemoteAnswer
export const questionIn = ({ event }: { event: { readonly output: Outcome } }) =>
  (event.output as Extract<Outcome, { type: 'asks' }>).question
export const endIn = ({ event }: { event: { readonly output: Outcome } }) => {
  const { code, message } = event.output as Extract<Outcome, { type: 'ended' }>
  return { name: 'RemoteTaskError', code, message }
}

/** The answer that a person has given in the place of the server: a text, or data. */
export const givenAnswer = ({ event }: { event: { readonly output: Answered } }): RemoteAnswer => {
  const { data } = event.output
  const result: JsonValue = (isRecord(data) ? data['result'] : undefined) ?? null
  return typeof result === 'string'
    ? { type: 'answered', text: result }
    : { type: 'answered', text: JSON.stringify(result), object: result }
}
