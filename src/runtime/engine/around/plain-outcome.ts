/** The outcome of an effect, for wrappers. */
import type { ModelReply } from '../../../actors/chat-model.ts'
import { bare } from '../../../actors/messages/provider-data.ts'
import type { ObservedEffect } from './observed-effect.ts'

/** Returns the outcome; the reply of a model without the data of its provider. */
export function plainOutcome<Outcome>({ kind }: ObservedEffect, outcome: Outcome): Outcome {
  return kind === 'model' ? bare(outcome as Outcome & ModelReply) : outcome
}
