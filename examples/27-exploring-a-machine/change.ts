/** A change on its way into a product, as a machine of yours: two reviewers work side by side, and one of them has a veto. */
import { assign, setup } from 'xstate'
import type { FinalResult, Troupe } from 'troupe'
import type { Reviewer } from './agents.ts'

interface Answer {
  readonly of: 'security' | 'style'
  readonly approves: boolean
}

type Review = FinalResult<{ readonly approves: boolean; readonly because: string }>

/** `answers`: in the order in which they came. */
export interface ChangeContext {
  readonly title: string
  readonly answers: readonly Answer[]
}

export function createChange(troupe: Troupe, reviewer: Reviewer) {
  return setup({
    types: {
      input: {} as { readonly title: string },
      context: {} as ChangeContext,
      events: {} as { type: 'withdraw' },
    },
    actors: { reviewer: troupe.logic(reviewer) },
    guards: {
      isReviewed: ({ context }) => context.answers.length === 2,
      isSecure: ({ context }) => context.answers.some(({ of, approves }) => of === 'security' && approves),
    },
    actions: {
      note: assign({ answers: ({ context }, answer: Answer) => [...context.answers, answer] }),
    },
  }).createMachine({
    id: 'change',
    context: ({ input }) => ({ title: input.title, answers: [] }),
    initial: 'reviewing',
    states: {
      reviewing: {
        description:
          'An objection of the security review stops the change; one of the style review is advice.',
        invoke: [
          {
            src: 'reviewer',
            id: 'security',
            input: ({ context }) => ({ prompt: `Is this change secure? ${context.title}` }),
            onDone: {
              actions: {
                type: 'note',
                params: ({ event }) => ({ of: 'security', approves: approves(event.output) }),
              },
            },
            onError: 'sentBack',
          },
          {
            src: 'reviewer',
            id: 'style',
            input: ({ context }) => ({ prompt: `Is this change well written? ${context.title}` }),
            onDone: {
              actions: {
                type: 'note',
                params: ({ event }) => ({ of: 'style', approves: approves(event.output) }),
              },
            },
            onError: 'sentBack',
          },
        ],
        always: { guard: 'isReviewed', target: 'deciding' },
        on: { withdraw: 'withdrawn' },
      },
      deciding: { always: [{ guard: 'isSecure', target: 'merged' }, { target: 'sentBack' }] },
      merged: { type: 'final' },
      sentBack: { type: 'final' },
      withdrawn: { type: 'final' },
    },
  })
}

/** A run that did not complete has approved nothing. */
function approves(review: Review): boolean {
  return review.outcome === 'completed' && review.object.approves
}

export type Change = ReturnType<typeof createChange>

/** With a fault: the first answer is taken for that of the security review, which was asked first. */
export function withFault(change: Change): Change {
  return change.provide({ guards: { isSecure: ({ context }) => context.answers[0]?.approves === true } })
}
