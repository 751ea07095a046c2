/** The envelope of the events that an effect streams. */
import type { RunStarted } from '../../journal/journal.ts'
import type { RunEvent } from '../../handle/run-event.ts'
import type { PendingEffect } from '../../state/effects/pending-effect.ts'

type Envelope = Pick<RunEvent, 'runId' | 'agent' | 'path' | 'delegationId' | 'conversationId'>

export function envelopeOf({ source }: PendingEffect, { runId, conversationId }: RunStarted): Envelope {
  return {
    runId,
    agent: source.agent,
    path: source.path,
    ...(source.delegationId === undefined ? {} : { delegationId: source.delegationId }),
    ...(conversationId === undefined ? {} : { conversationId }),
  }
}
