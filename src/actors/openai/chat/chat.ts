/** Chat Completions, the API that nearly every server speaks. */
import type { APIPromise, OpenAI } from 'openai'
import { isRecord } from '../../values/json.ts'
import type { Api, ApiCall } from '../shared/api.ts'
import { bodyText, toolList, jsonHeaders, type KeptTexts } from '../shared/body-text.ts'
import { firstChoice, readCompletion } from './completion.ts'
import { messagesText, toFrame, toParams } from './request.ts'
import { collectChunks } from './stream.ts'
import { toTool } from './tools.ts'

const path = '/chat/completions'

const withUsage = { stream_options: { include_usage: true } }

export const chat: Api = {
  path,
  quirks: ['lacks-formats', 'wants-signature', 'wants-reasoning', 'refuses-kept-fields'],
  send(client, call) {
    if (call.texts !== undefined) return postText<unknown>(client, call, call.texts, false)
    return client.chat.completions.create({ ...paramsOf(client, call), stream: false }, call.options)
  },
  sendStreaming(client, call) {
    if (call.texts !== undefined) return postText<AsyncIterable<unknown>>(client, call, call.texts, true)
    const params = { ...withUsage, ...paramsOf(client, call), stream: true as const }
    return client.chat.completions.create(params, call.options)
  },
  readReply: readCompletion,
  isWhole: (event) => isRecord(firstChoice(event)?.['message']),
  collectStream: collectChunks,
}

function paramsOf(
  { baseURL }: OpenAI,
  { modelId, request, settings, quirks }: ApiCall,
): ReturnType<typeof toParams> {
  return toParams(modelId, request, settings, { baseURL, quirks })
}

function postText<Reply>(
  client: OpenAI,
  { modelId, request, settings, options, quirks }: ApiCall,
  texts: KeptTexts,
  stream: boolean,
): APIPromise<Reply> {
  const frame = toFrame(modelId, request, settings, { baseURL: client.baseURL, quirks })
  const body = bodyText(
    { ...(stream ? withUsage : {}), ...frame, stream },
    {
      ...toolList(request.tools, texts.tools, toTool),
      messages: messagesText(request, quirks, texts.messages),
    },
  )
  return client.post<Reply>(path, { ...options, headers: jsonHeaders, body, stream })
}
