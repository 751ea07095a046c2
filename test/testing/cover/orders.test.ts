/** Every live child may report first, unless the children of its source are said to be alike. */
import { expect, test } from 'vitest'
import { coverMachine, type CoverOptions } from 'troupe/testing'
import { assign, fromPromise, setup, spawnChild, type DoneActorEvent } from 'xstate'

/** Asks two reviewers, and takes the first review for that of the lead. */
const review = setup({
  types: {
    context: {} as { readonly first: string | undefined; readonly count: number },
    events: {} as DoneActorEvent<string>,
  },
  actors: { reviewer: fromPromise<string>(async () => '') },
  actions: {
    take: assign(({ context, event }) => ({
      first: context.first ?? event.actorId,
      count: context.count + 1,
    })),
  },
  guards: {
    isLed: ({ context, event }) => (context.first ?? event.actorId) === 'lead',
    isLast: ({ context }) => context.count === 2,
  },
}).createMachine({
  id: 'review',
  context: { first: undefined, count: 0 },
  entry: [spawnChild('reviewer', { id: 'lead' }), spawnChild('reviewer', { id: 'peer' })],
  initial: 'waiting',
  states: {
    waiting: {
      always: { guard: 'isLast', target: 'reviewed' },
      on: {
        'xstate.done.actor.*': [
          { guard: 'isLed', actions: 'take' },
          { target: 'mistaken', actions: 'take' },
        ],
      },
    },
    reviewed: { type: 'final' },
    mistaken: { type: 'final' },
  },
})

const options: CoverOptions<typeof review> = {
  inputs: { both: undefined },
  outcomes: { reviewer: [{ name: 'approves', value: 'yes' }] },
  invariant: (snapshot) => {
    if (snapshot.matches('mistaken')) throw new Error('The review of a peer was taken for that of the lead.')
  },
}

test('two children of one source report in both orders, so that a machine that is wrong in one of them fails', async () => {
  const cover = coverMachine(review, options)
  expect(cover.paths.map(({ name }) => name)).toEqual([
    'both → peer: approves',
    'both → lead: approves → peer: approves',
  ])
  await expect(cover.run()).rejects.toThrow(
    'The review of a peer was taken for that of the lead.\nat both → peer: approves',
  )
})

test('of children that are said to be alike, the first reports first', () => {
  const cover = coverMachine(review, { ...options, interchangeable: ['reviewer'] })
  expect(cover.paths.map(({ name }) => name)).toEqual(['both → lead: approves → peer: approves'])
})

test('a machine whose children report in any order passes, and both orders have run', async () => {
  const fair = review.provide({ guards: { isLed: () => true } })
  const cover = coverMachine(fair, options)
  expect(cover.paths.map(({ name }) => name)).toEqual([
    'both → lead: approves → peer: approves',
    'both → peer: approves → lead: approves',
  ])
  for (const path of cover.paths) await path.run()
  expect(cover.transitions().missing).toEqual(['review.waiting: xstate.done.actor.* → review.mistaken'])
})
