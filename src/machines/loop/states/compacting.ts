/**
 * `sizing` and `compacting`: before a call of the model, a conversation that would not fit into its window is made
 * shorter.
 */
import { arrow, optionalArrow } from '../../shared/arrow.ts'
import type { InContext } from '../changes/context.ts'
import { tooLong } from '../changes/window.ts'
import { failure } from '../../shared/params.ts'
import { edits } from './editing.ts'
import { screens } from './screening.ts'
import { loopSetup } from '../setup.ts'

/** Goes on to the sibling `next`, or first to `compacting`, and before to `screening` and `editing` where the chart has them. */
export function sizing(next: string, screening?: object, editing?: object) {
  return loopSetup.createStateConfig({
    description: `${screening === undefined ? '' : 'Are there messages of people to check? '}Does the conversation leave room in the window of the model?`,
    always: [
      ...screens(screening),
      ...edits(editing),
      { guard: 'mustCompact', target: 'compacting' },
      { target: next },
    ],
  })
}

interface Targets {
  /** The model is called. */
  readonly fits: string
  /** The conversation does not fit. Where it is not named, the model is called all the same. */
  readonly ended?: string
}

const endTooLong = [
  { type: 'end', params: ({ context }: InContext) => tooLong(context) },
  { type: 'announceError', params: ({ context }: InContext) => tooLong(context).error },
] as const

/** The conversation is shorter, or fits as it is; or else the agent ends. */
export function compacting(to: Targets) {
  return loopSetup.createStateConfig({
    description: 'Summaries replace the earlier messages of the conversation.',
    entry: 'startCompaction',
    always: [
      arrow('mayCallAfterCompaction', to.fits),
      ...optionalArrow('isCompactionOver', to.ended, endTooLong),
      ...optionalArrow('isCompactionOver', to.ended === undefined ? to.fits : undefined),
    ],
  })
}

/** The server refuses a request that is too long: the conversation is made shorter once, and the model called again. */
export const refusedForLength = {
  guard: { type: 'mayCompact', params: failure },
  target: 'compacting',
  actions: [
    { type: 'countFailure', params: failure },
    { type: 'announceRetry', params: failure },
    'countOverflow',
    'beginDraft',
  ],
} as const
