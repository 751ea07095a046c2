/**
 * The Responses API. The client's method for it, `responses.create`, reads the body before we can, and throws a bare
 * `TypeError` where that is no response: so the request is posted.
 */
import type { APIPromise, OpenAI } from 'openai'
import type { Api, ApiCall } from '../shared/api.ts'
import { bodyText, toolList, jsonHeaders } from '../shared/body-text.ts'
import { inputText, toFrame, toParams } from './request.ts'
import { readResponse } from './response.ts'
import { collectEvents } from './stream.ts'
import { toTool } from './tools.ts'

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

function post<Reply>(client: OpenAI, call: ApiCall, stream: boolean): APIPromise<Reply> {
  const { modelId, request, settings, options, quirks, texts } = call
  if (texts === undefined) {
    const body = { ...toParams(modelId, request, settings, quirks), stream }
    return client.post<Reply>(path, { ...options, body, stream })
  }
  const frame = { ...toFrame(modelId, request, settings, quirks), stream }
  const body = bodyText(frame, {
    ...toolList(request.tools, texts.tools, toTool),
    input: inputText(request, quirks, texts.messages),
  })
  return client.post<Reply>(path, { ...options, headers: jsonHeaders, body, stream })
}
