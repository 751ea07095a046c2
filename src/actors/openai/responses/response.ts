/** A response as our reply, and the ways in which a response ends. */
import type { FinishReason, ModelReply } from '../../chat-model.ts'
import { isRecord } from '../../values/json.ts'
import { bodyError, invalidReply, type CallContext } from '../failures/errors.ts'
import { readBody, toReply, unfinishedReply } from '../shared/reply.ts'
import { readOutput } from './output.ts'

export function readResponse(response: unknown, call: CallContext): ModelReply {
  const body = readBody(response, call)
  const finishReason = readFinishReason(body, call)
  if (!Array.isArray(body['output'])) throw invalidReply(call, 'a reply without output')
  return toReply(readOutput(body['output']), finishReason, body['usage'])
}

/** Throws for a response that failed, or has not ended. */
export function readFinishReason(response: Record<string, unknown>, call: CallContext): FinishReason {
  const { status, error, incomplete_details: details } = response
  switch (status) {
    case 'completed':
      return 'stop'
    case 'incomplete':
      // cut off for any other reason, the text is no answer
      return isRecord(details) && details['reason'] === 'content_filter' ? 'content-filter' : 'length'
    case 'failed':
    case 'cancelled':
      throw bodyError(error ?? { message: `the response is ${status}` }, call)
    default:
      throw unfinishedReply(call, 'without a final status')
  }
}
