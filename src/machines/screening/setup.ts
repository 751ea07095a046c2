/** The guards, actions and actors of a screening, by name. */
import { assign, emit, setup } from 'xstate'
import { effect, sendToEffects } from '../../actors/effects/effect.ts'
import type { HookOutcome } from '../../actors/effects/effect-kinds.ts'
import type { ErrorData } from '../../errors.ts'
import { abortOrExpire, causeOf, type BudgetSpentEvent, type CancelEvent } from '../contract/cancel.ts'
import { event, type MachineEvent } from '../contract/events.ts'
import type { ScreeningOutput } from '../contract/reports.ts'
import {
  answered,
  failed,
  passed,
  refused,
  saidIn,
  sayingOf,
  type ScreeningContext,
  type ScreeningInput,
} from './context.ts'

interface InContext {
  readonly context: ScreeningContext
}

export const screeningSetup = setup({
  types: {
    input: {} as ScreeningInput,
    context: {} as ScreeningContext,
    events: {} as CancelEvent | BudgetSpentEvent,
    output: {} as ScreeningOutput,
    emitted: {} as MachineEvent,
  },
  actors: { hook: effect('hook') },
  guards: {
    isDone: ({ context }: InContext) => sayingOf(context) === undefined,
    hasFailed: ({ context: { progress } }: InContext) => progress.failure !== undefined,
    ignoresFailure: ({ context: { input, progress } }: InContext) =>
      progress.failure !== undefined && input.hookErrors === 'ignore',
    isRefused: ({ context: { progress } }: InContext) => progress.tripwire !== undefined,
    hasProcessorLeft: ({ context: { input, progress } }: InContext) =>
      progress.next < input.processors.length,
    leavesNoMessage: ({ context: { progress } }: InContext) => saidIn(progress).length === 0,
  },
  actions: {
    recordAnswer: assign(({ context }, params: HookOutcome<'processInput'>) => ({
      progress: answered(context.progress, params),
    })),
    recordFailure: assign(({ context }, params: ErrorData) => ({
      progress: failed(context.progress, params),
    })),
    ignoreFailure: assign(({ context }) => ({ progress: { ...context.progress, failure: undefined } })),
    announceFailure: emit(({ context: { progress } }) =>
      event('error', { error: progress.failure ?? unknownFailure, willRetry: false }),
    ),
    pass: assign(({ context }) => passed(context)),
    refuse: assign(({ context }) => refused(context)),
    abortEffects: ({ self, event }) => sendToEffects(self, abortOrExpire(event), causeOf(event)),
  },
})

const unknownFailure: ErrorData = {
  name: 'HookError',
  code: 'HOOK_FAILED',
  message: 'An input processor failed.',
}
