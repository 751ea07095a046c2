/** The guards and actions of a handoff, by name. */
import { assign, emit } from 'xstate'
import type { Message } from '../../actors/message.ts'
import { event } from '../contract/events.ts'
import { loopBase } from './base.ts'
import { handsOff } from './changes/context.ts'
import { allSettled } from './changes/predicates.ts'
import {
  handoffHistory,
  handoffRecord,
  isAtHandoffCap,
  handoffEnding,
  taskAlone,
} from './changes/handoff-calls.ts'

export const handoffSetup = loopBase.extend({
  guards: {
    settlesAndHandsOff: ({ context }) => allSettled(context) && handsOff(context),
    isAtHandoffCap: ({ context }) => isAtHandoffCap(context.input),
    hasHandoffFilter: ({ context }) => context.input.profile.hooks.handoffFilter !== undefined,
  },
  actions: {
    handOff: assign(({ context }) => ({ ending: handoffEnding(context, handoffHistory(context)) })),
    handOffFiltered: assign(({ context }, params: readonly Message[]) => ({
      ending: handoffEnding(context, params),
    })),
    handOffTaskAlone: assign(({ context }) => ({ ending: handoffEnding(context, taskAlone(context)) })),
    announceHandoff: emit(({ context }) => event('handoff', handoffRecord(context))),
  },
})
