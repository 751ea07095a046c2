/** Chat Completions, the API that nearly every server speaks. */
import { isRecord } from '../../values/json.ts'
import type { Api } from '../shared/api.ts'
import { firstChoice } from './choice.ts'
import { readCompletion } from './completion.ts'
import { toParams } from './request.ts'
import { collectChunks } from './stream.ts'

export const chat: Api = {
  path: '/chat/completions',
  quirks: ['lacks-formats', 'wants-signature', 'wants-reasoning', 'refuses-kept-fields'],
  send(client, { modelId, request, settings, options, quirks }) {
    const params = toParams(modelId, request, settings, { baseURL: client.baseURL, quirks })
    return client.chat.completions.create({ ...params, stream: false }, options)
  },
  sendStreaming(client, { modelId, request, settings, options, quirks }) {
    const params = toParams(modelId, request, settings, { baseURL: client.baseURL, quirks })
    return client.chat.completions.create(
      { stream_options: { include_usage: true }, ...params, stream: true },
      options,
    )
  },
  readReply: readCompletion,
  isWhole: (event) => isRecord(firstChoice(event)?.['message']),
  collectStream: collectChunks,
}
