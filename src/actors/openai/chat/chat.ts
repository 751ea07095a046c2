/** Chat Completions, the API that nearly every server speaks. */
import type { APIPromise, OpenAI } from 'openai'
import { isRecord } from '../../values/json.ts'
import type { Api, ApiCall } from '../shared/api.ts'
import { bodyText, toolList, jsonHeaders, type KeptTexts } from '../shared/body-text.ts'
import { firstChoice, readCompletion, readFinishReason, readPart, toFinishReason } from './completion.ts'
import { messagesText, toFrame, toParams, toTool } from './request.ts'
import type { ModelReply } from '../../chat-model.ts'
import type { Source } from '../../content/source.ts'
import { CallAssembler } from '../shared/call-assembler.ts'
import type { EmitDelta } from '../shared/deltas.ts'
import { citing, type Part } from '../shared/part.ts'
import { schemaQuirks } from '../shared/quirks.ts'
import { formName } from '../shared/request-parts.ts'
import { invalidReply, type CallContext } from '../failures/errors.ts'
import { isEmpty, toReply, unfinishedStream } from '../shared/reply.ts'
import { KeptFields } from './kept-fields.ts'
import { MadeImages } from './made-images.ts'

const path = '/chat/completions'

const withUsage = { stream_options: { include_usage: true } }

export const chat: Api = {
  path,
  quirks: [...schemaQuirks, 'wants-signature', 'wants-reasoning', 'refuses-kept-fields'],
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

/** Collects a stream of chunks into one reply, and reports each piece of its text and its calls as it comes. */
export async function collectChunks(
  chunks: AsyncIterable<unknown>,
  emit: EmitDelta,
  call: CallContext,
): Promise<ModelReply> {
  const assembler = new CallAssembler()
  const kept = new KeptFields()
  const made = new MadeImages()
  const sources: Source[] = []
  const all = { text: '', reasoning: '', refusal: '' }
  let finishReason: string | undefined
  /** What the chunks say about the reply. Some servers send a running total of the usage with every chunk: the last counts. */
  const about: Record<string, unknown> = {}
  const seen = { chunk: false, choice: false }

  for await (const chunk of chunks) {
    if (!isRecord(chunk)) continue
    seen.chunk = true
    for (const name of ['id', 'model', 'usage']) about[name] = chunk[name] || about[name]
    const choice = firstChoice(chunk)
    if (choice === undefined) continue
    seen.choice = true
    const part = readPart(choice['delta'])
    if (isRecord(choice['delta'])) {
      kept.add(choice['delta'])
      made.add(choice['delta'])
    }
    all.text += part.text
    all.reasoning += part.reasoning
    all.refusal += part.refusal
    sources.push(...(part.sources ?? []))
    emit({ type: 'reasoning', text: part.reasoning })
    emit({ type: 'text', text: part.text })
    emit({ type: 'text', text: part.refusal })
    for (const fragment of part.calls) {
      const delta = assembler.add(fragment)
      if (delta !== undefined) emit(delta)
    }
    finishReason = readFinishReason(choice) ?? finishReason
  }

  if (!seen.chunk) throw unfinishedStream(call, 'before its first event')
  if (!seen.choice) throw invalidReply(call, 'a stream without choices')
  const calls = assembler.finish()
  const whole: Part = { ...all, calls, takesThoughts: true, ...kept.part, ...made.part, ...citing(sources) }
  const isWhole = call.isDone?.() === true && !isEmpty(whole)
  if (finishReason === undefined && !isWhole) throw unfinishedStream(call, 'without a finish reason')
  return toReply(whole, toFinishReason(finishReason ?? 'stop'), about)
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
  const server = { baseURL: client.baseURL, quirks }
  const frame = toFrame(modelId, request, settings, server)
  const body = bodyText(
    { ...(stream ? withUsage : {}), ...frame, stream },
    {
      ...toolList(request.tools, texts.tools, formName(server), (tool) => toTool(tool, server)),
      messages: messagesText(request, quirks, texts.messages),
    },
  )
  return client.post<Reply>(path, { ...options, headers: jsonHeaders, body, stream })
}
