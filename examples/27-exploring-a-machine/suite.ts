/** What may happen to a change: the answers of its reviewers, by the source of both, and its author. No agent is run. */
import { never, type MachineExploreOptions } from 'troupe/testing'
import type { SnapshotFrom } from 'xstate'
import type { Change } from './change.ts'

export const input = { title: 'Log in with a passkey' }

export const outcomes: MachineExploreOptions<Change>['outcomes'] = {
  reviewer: [
    { name: 'approves', value: { outcome: 'completed', object: { approves: true, because: '' } } },
    { name: 'objects', value: { outcome: 'completed', object: { approves: false, because: '' } } },
    { name: 'is down', error: { name: 'Error', code: 'DOWN', message: 'no answer' } },
  ],
}

export const events: MachineExploreOptions<Change>['events'] = [
  { name: 'the author withdraws it', event: { type: 'withdraw' } },
]

export const rules: MachineExploreOptions<Change>['rules'] = {
  'a change that the security review objects to is not merged': never(
    ({ value, context }: SnapshotFrom<Change>) =>
      value === 'merged' && context.answers.some(({ of, approves }) => of === 'security' && !approves),
  ),
}
