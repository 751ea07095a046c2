/**
 * The Responses API. The client's method for it, `responses.create`, reads the body before we can, and throws a bare
 * `TypeError` where that is no response: so the request is posted.
 */
import type { OpenAI } from 'openai'
import type { Api, ApiCall } from '../shared/api.ts'
import { bodyText } from '../shared/message-texts.ts'
import { jsonHeaders } from '../shared/json-headers.ts'
import { inputText, toFrame, toParams } from './request.ts'
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
  const { modelId, request, settings, options, quirks, texts } = call
  if (texts === undefined) {
    const body = { ...toParams(modelId, request, settings, quirks), stream }
    return client.post<Reply>(path, { ...options, body, stream })
  }
  const frame = { ...toFrame(modelId, request, settings, quirks), stream }
  const body = bodyText(frame, { name: 'input', list: inputText(request, quirks, texts) })
  return client.post<Reply>(path, { ...options, headers: jsonHeaders, body, stream })
}
