/** All that the test kit needs to know of the machine: what may come from outside, and what must always hold. */
import type { CoverOptions, Failure } from 'troupe/testing'
import type { refund } from './refund.ts'

export const isDown: Failure = {
  name: 'is down',
  error: { name: 'Error', code: 'DOWN', message: 'no answer' },
}

/** What each actor that the machine invokes may end with, by the name of its source. */
export const outcomes = {
  policy: [{ name: 'allows', value: 'allowed' }, { name: 'forbids', value: 'forbidden' }, isDown],
  bank: [{ name: 'pays', value: { receipt: 'r-1' } }, isDown],
} satisfies CoverOptions<typeof refund>['outcomes']

export const suite: CoverOptions<typeof refund> = {
  // The guards read the input, so there are two.
  inputs: { small: { order: 'A-17', euros: 20 }, large: { order: 'B-4', euros: 900 } },
  outcomes,
  // Asked in each state that is found: what may a person do there?
  events: (snapshot) =>
    snapshot.matches('awaitingApproval')
      ? [
          { name: 'approve', event: { type: 'approve' } },
          { name: 'deny', event: { type: 'deny' } },
        ]
      : [],
  // Asked after every step of every path.
  invariant({ context }) {
    if (context.payments > 2) throw new Error('The bank is asked three times.')
  },
}
