/**
 * One tool call of a model: checked, approved by a person where required, executed, retried, held while it waits. It
 * ends in exactly one typed outcome and the model reads only the errors that are worded for it. This file draws every arrow
 * between the states; tool-call/ holds the insides of `validating` and `rechecking`.
 */
import { once } from '../actors/values/once.ts'
import { expected } from '../actors/toolset/toolset.ts'
import { backoff } from './shared/backoff.ts'
import { named } from './shared/named.ts'
import { failure, output } from './shared/params.ts'
import {
  answersSoFar,
  approvalTimeout,
  asRan,
  attemptLimits,
  ended,
  initialContext,
  madeFiles,
  ofClient,
  resultContent,
} from './tool-call/context.ts'
import { rechecking } from './tool-call/rechecking.ts'
import { isOfRestored, toolCallSetup } from './tool-call/setup.ts'
import { validating } from './tool-call/validating.ts'
import type { ToolCallOutput } from './contract/reports.ts'

export type { ToolCallInput } from './tool-call/context.ts'

export const toolCallMachine = /* @__PURE__ */ once(() =>
  toolCallSetup.createMachine({
    id: 'tool-call',
    description: 'One tool call: validated, approved, executed, retried; exactly one typed outcome.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as ToolCallOutput,
    initial: 'validating',
    on: {
      cancel: { target: '.cancelled', actions: 'abortEffects' },
      'budget.spent': { target: '.cancelled', actions: ['abortEffects', 'recordSpent'] },
    },
    states: named({
      validating: validating({
        approved: 'executing',
        asks: 'awaitingApproval',
        denied: 'denied',
        failed: 'failed',
      }),
      awaitingApproval: {
        description: 'A person must approve. The call is held, and gives up its place in the window.',
        entry: ['announceApproval', 'announceHeld'],
        exit: 'announceReleased',
        initial: 'choosing',
        states: {
          choosing: { always: [{ guard: 'hasApprovalTimeout', target: 'limited' }, { target: 'unlimited' }] },
          limited: {
            description: 'Without an answer in time the call is denied.',
            invoke: {
              src: 'timer',
              id: 'timer:approval',
              input: ({ context }) => ({ delay: approvalTimeout(context) ?? 0, dormant: true }),
              onDone: { target: '#denied', actions: 'recordNoApproval' },
            },
          },
          unlimited: {},
        },
        invoke: {
          src: 'signal',
          id: 'signal:approval',
          input: ({ context }) => ({
            id: context.callId,
            type: 'approval',
            agent: context.agent,
            toolName: context.call.name,
            args: context.call.args,
          }),
          onDone: [
            {
              guard: { type: 'changesArguments', params: output },
              target: 'rechecking',
              actions: { type: 'recordChange', params: output },
            },
            {
              guard: { type: 'answeredYes', params: ({ event }) => ({ answer: event.output.approved }) },
              target: 'executing',
              actions: { type: 'announceApproved', params: output },
            },
            {
              target: 'denied',
              actions: [
                { type: 'recordDenial', params: output },
                { type: 'announceApproved', params: output },
              ],
            },
          ],
        },
      },
      rechecking: rechecking({ fits: 'executing', misfits: 'awaitingApproval', cancelled: 'cancelled' }),
      executing: {
        description: 'The tool is at work.',
        invoke: {
          src: 'tool',
          id: 'tool',
          input: ({ context }) => ({
            agent: context.agent,
            tool: context.call.name,
            callId: context.callId,
            args: context.call.args,
            ...answersSoFar(context),
            ...expected(context.toolset),
            ...attemptLimits(context),
            ...(context.scope === undefined ? {} : { scope: context.scope }),
            ...(context.isAgain ? { isAgain: true as const } : {}),
          }),
          onDone: [
            { guard: { type: 'asksWhenRestored', params: output }, target: 'interrupted' },
            {
              guard: { type: 'asksWhenInterrupted', params: output },
              target: 'interrupted',
            },
            {
              guard: { type: 'failsWhenInterrupted', params: output },
              target: 'failed',
              actions: 'recordInterruption',
            },
            {
              guard: { type: 'mayNotHaveBegun', params: output },
              target: 'executing',
              reenter: true,
              actions: 'beginAgain',
            },
            { guard: { type: 'isInterruptedTooOften', params: output }, target: 'interrupted' },
            {
              guard: { type: 'isInterrupted', params: output },
              target: 'executing',
              reenter: true,
              actions: ['countInterruption', 'beginAgain'],
            },
            {
              guard: { type: 'isSuspended', params: output },
              target: 'suspended',
              actions: { type: 'recordPayload', params: output },
            },
            { target: 'succeeded', actions: { type: 'recordValue', params: output } },
          ],
          onError: [
            {
              guard: { type: 'hasTimedOut', params: failure },
              target: 'failed',
              actions: { type: 'recordTimeout', params: failure },
            },
            {
              guard: { type: 'mayRetry', params: failure },
              target: 'retrying',
              actions: { type: 'countFailure', params: failure },
            },
            { target: 'failed', actions: { type: 'recordError', params: failure } },
          ],
        },
        on: {
          cancel: [
            {
              guard: { type: 'isDetached', params: ({ event }) => ({ cause: event.cause }) },
              target: 'cancelled',
              actions: 'detachEffects',
            },
            { target: 'cancelled', actions: 'abortEffects' },
          ],
        },
      },
      suspended: {
        description: 'The tool has suspended the call until it is given data, or until a time.',
        entry: ['announceSuspension', 'announceHeld'],
        exit: 'announceReleased',
        initial: 'choosing',
        states: {
          choosing: { always: [{ guard: 'sleeps', target: 'sleeping' }, { target: 'waiting' }] },
          sleeping: {
            description: 'The call goes on by itself when its time comes, and sooner when it is given data.',
            invoke: {
              src: 'timer',
              id: 'timer:wake',
              input: ({ context }) => ({ delay: context.asked.delay ?? 0, dormant: true, isMoment: true }),
              onDone: { target: '#executing', actions: ['recordWaking', 'announceWaking'] },
            },
          },
          waiting: {},
        },
        invoke: {
          src: 'signal',
          id: 'signal:suspension',
          input: ({ context }) => ({
            id: context.callId,
            type: 'suspension',
            agent: context.agent,
            toolName: context.call.name,
            args: context.call.args,
            payload: context.asked.payload,
            ...ofClient(context),
          }),
          onDone: [
            {
              guard: { type: 'answeredYes', params: ({ event }) => ({ answer: event.output.approved }) },
              target: 'executing',
              actions: [
                { type: 'recordResumeData', params: output },
                { type: 'announceResumed', params: output },
              ],
            },
            {
              target: 'denied',
              actions: [
                { type: 'recordDenial', params: output },
                { type: 'announceResumed', params: output },
              ],
            },
          ],
        },
      },
      interrupted: {
        description:
          'The process ended while the tool was at work, or the run was restored and it may have been. A person decides: call it (again), give its result, or deny.',
        entry: [
          { type: 'announceInterruption', params: ({ event }) => ({ restored: isOfRestored(event) }) },
          'announceHeld',
        ],
        exit: 'announceReleased',
        invoke: {
          src: 'signal',
          id: 'signal:interruption',
          input: ({ context }) => ({
            id: context.callId,
            type: 'interruption',
            agent: context.agent,
            toolName: context.call.name,
            args: context.call.args,
          }),
          onDone: [
            {
              guard: { type: 'givesResult', params: output },
              target: 'succeeded',
              actions: [
                { type: 'recordGivenResult', params: output },
                { type: 'announceVerdict', params: output },
              ],
            },
            {
              guard: { type: 'answeredYes', params: ({ event }) => ({ answer: event.output.approved }) },
              target: 'executing',
              actions: { type: 'announceVerdict', params: output },
            },
            {
              target: 'denied',
              actions: [
                { type: 'recordDenial', params: output },
                { type: 'announceVerdict', params: output },
              ],
            },
          ],
        },
      },
      retrying: {
        description: 'Waits before another attempt, after a retryable error.',
        invoke: {
          src: 'timer',
          id: 'timer:backoff',
          input: ({ context }) => backoff(context.failures, context.error),
          onDone: 'executing',
        },
      },
      succeeded: {
        type: 'final',
        entry: 'announceResult',
        output: ({ context }): ToolCallOutput => ({
          kind: 'tool',
          outcome: 'succeeded',
          value: context.value,
          ...madeFiles(context),
          ...asRan(context, resultContent(context)),
        }),
      },
      failed: {
        type: 'final',
        entry: { type: 'announceError', params: { outcome: 'failed' } },
        output: ({ context }) => ended('failed', context, `The tool "${context.call.name}" failed.`),
      },
      denied: {
        type: 'final',
        entry: { type: 'announceError', params: { outcome: 'denied' } },
        output: ({ context }) => ended('denied', context, 'Tool call denied.'),
      },
      cancelled: {
        type: 'final',
        entry: { type: 'announceError', params: { outcome: 'cancelled' } },
        output: ({ context }) => ended('cancelled', context, 'The tool call was cancelled.'),
      },
    }),
  }),
)

/** Named, so that declarations of the charts above it name it too. */
export interface ToolCallMachine extends ReturnType<typeof toolCallMachine> {}
