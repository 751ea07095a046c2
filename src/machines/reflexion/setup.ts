/** The guards and actions of a reflexion agent, beside those of every loop. */
import { assign, emit } from 'xstate'
import { event } from '../contract/events.ts'
import { feedbackMessage } from '../loop/changes/record.ts'
import { createLoop } from '../loop/setup.ts'

/** How often it has criticised itself so far. */
export interface ReflexionWork {
  readonly critiques: number
}

interface Critique {
  readonly satisfied: boolean
  readonly critique: string
}

export const firstWork: ReflexionWork = { critiques: 0 }

const critiqueOf = (params: { value: unknown }) => params.value as Critique

export const reflexionSetup = /* @__PURE__ */ createLoop<ReflexionWork>().extend({
  guards: {
    mayCritique: ({ context }) => context.work.critiques < context.input.profile.caps.maxCritiques,
    isSatisfied: (_, params: { value: unknown }) => critiqueOf(params).satisfied,
  },
  actions: {
    countCritique: assign(({ context }) => ({ work: { critiques: context.work.critiques + 1 } })),
    announceCritique: emit(({ context }, params: { value: unknown }) =>
      event('critique', { step: context.step, ...critiqueOf(params) }),
    ),
    /** Records the critique as feedback like that of a reviewer: another step follows, and begins with it. */
    recordCritique: assign(({ context }, params: { value: unknown }) => {
      const { critique } = critiqueOf(params)
      return {
        verdict: { ...context.verdict, review: { continue: true, feedback: critique } },
        messages: context.messages.append(feedbackMessage(critique)),
      }
    }),
  },
})
