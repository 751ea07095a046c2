/**
 * The Responses API. The client's method for it, `responses.create`, reads the body before we can, and throws a bare
 * `TypeError` where that is no response: so the request is posted.
 */
import type { OpenAI } from 'openai'
import type { Api, ApiCall } from '../shared/api.ts'
import { toParams } from './request.ts'
import { readResponse } from './response.ts'
import { collectEvents } from './stream.ts'

const path = '/responses'

export const responses: Api = {
  path,
  quirks: ['lacks-formats', 'lacks-encrypted-reasoning', 'refuses-kept-fields'],
  send: (client, call) => post<unknown>(client, call, false),
  sendStreaming: (client, call) => post<AsyncIterable<unknown>>(client, call, true),
  readReply: readResponse,
  isWhole: (event) => event['type'] === undefined && Array.isArray(event['output']),
  collectStream: collectEvents,
}

function post<Reply>(client: OpenAI, call: ApiCall, stream: boolean): PromiseLike<Reply> {
  const body = { ...toParams(call.modelId, call.request, call.settings, call.quirks), stream }
  return client.post<Reply>(path, { ...call.options, body, stream })
}
