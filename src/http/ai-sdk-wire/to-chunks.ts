/**
 * The events of a run as one message of the AI SDK: the text and the reasoning of the agent that holds the conversation, the
 * calls of all agents as parts of dynamic tools, and what the AI SDK has no part for as data parts.
 */
import type { RunEvent } from '../../index.ts'
import type { ClientCalls } from '../serving/client-tools.ts'
import { inChat } from './call-ids.ts'
import { askedAgain, callChunks, Calls } from './calls.ts'
import type { UiChunk } from './chunks.ts'
import { endChunks } from './end.ts'
import { isMessageEvent, messageChunks } from './messages.ts'

/** Events whose payloads are data parts as they are. */
const shown: readonly RunEvent['type'][] = [
  'handoff',
  'plan-created',
  'plan-revised',
  'plan-step-start',
  'plan-step-end',
  'scoring-complete',
  'critique',
  'pattern-selected',
  'routing-decision',
  'fan-out',
  'said',
  'budget-warning',
  'drift',
  'restored',
]

interface ChunkOptions {
  readonly runId: string
  /** Where the page finds the file of a reference. */
  readonly addressOf: (ref: string) => string
  /** Those that are known before the beginning of the run is read. */
  readonly clientCalls: ClientCalls
}

/** Yields the chunks of a stream, which ends where the run does, or waits for a person: the next request answers. */
export async function* toChunks(
  events: AsyncIterable<RunEvent>,
  { runId, addressOf, clientCalls }: ChunkOptions,
): AsyncGenerator<UiChunk, void> {
  const calls = new Calls(clientCalls)
  yield { type: 'start', messageId: runId }
  for await (const event of events) {
    clientCalls.take(event)
    for (const chunk of chunksOf(event, calls, addressOf)) yield inChat(chunk, runId)
    if (event.type === 'suspended' || event.type === 'run-finish') return
  }
}

function* chunksOf(
  event: RunEvent,
  calls: Calls,
  addressOf: (ref: string) => string,
): Generator<UiChunk, void> {
  const isOfConversation = event.delegationId === undefined
  if (isMessageEvent(event)) {
    if (isOfConversation) yield* messageChunks(event)
    return
  }
  yield* callChunks(event, calls)
  switch (event.type) {
    case 'step-start':
      if (isOfConversation) yield { type: 'start-step' }
      return
    case 'step-finish':
      if (isOfConversation) yield { type: 'finish-step' }
      return
    case 'delegation-start':
    case 'delegation-end':
    case 'delegation-rejected':
      yield {
        type: `data-${event.type}`,
        id: event.path,
        data: { ...event.payload, delegationId: event.path },
      }
      return
    case 'suspended':
      yield* askedAgain(event, calls)
      return yield* endChunks(event, addressOf)
    case 'run-finish':
      return yield* endChunks(event, addressOf)
    default:
      if (shown.includes(event.type)) {
        yield { type: `data-${event.type}`, data: { ...event.payload, agent: event.agent } }
      }
  }
}
