/** Puts the content of a streamed reply together. */
import { type ModelReply, RetryableError, type Source } from '../../index.ts'
import type { CallDelta, EmitDelta } from '../../kit/host.ts'
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { optionsOf, readPart, readSources, type Content, type Words } from './content.ts'
import { streamedError } from './errors.ts'
import { toReply, type ReplyEnd } from './reply.ts'

/** Throws the error that the stream reports, and a `RetryableError` for a stream that ends without an end of the reply. */
export async function collectStream(
  stream: AsyncIterable<LanguageModelV4StreamPart>,
  emit: EmitDelta,
  { model, images }: Pick<ReplyEnd, 'model' | 'images'>,
): Promise<ModelReply> {
  const content = new StreamedContent()
  const calls = new StreamedCalls()
  const sources: Source[] = []
  let response: ReplyEnd['response']
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'text-end':
      case 'reasoning-end':
        content.addWords(part.type.startsWith('text') ? 'text' : 'reasoning', part.id, '', part)
        break
      case 'text-delta':
      case 'reasoning-delta': {
        const type = part.type === 'text-delta' ? 'text' : 'reasoning'
        content.addWords(type, part.id, part.delta, part)
        emit({ type, text: part.delta })
        break
      }
      case 'tool-call':
        calls.take(part)
        content.add(readPart(part, model))
        break
      case 'tool-result':
      case 'tool-approval-request':
      case 'custom':
      case 'file':
      case 'reasoning-file':
        content.add(readPart(part, model))
        break
      case 'source':
        sources.push(...readSources([part]))
        break
      case 'finish': {
        const { finishReason, usage } = part
        if (finishReason.unified === 'other' && finishReason.raw === undefined) throw cutStream(model)
        return toReply(content.parts, { finishReason, usage, model, images, sources, response })
      }
      case 'error':
        throw streamedError(part.error, model)
      case 'tool-input-start':
        calls.begin(part)
        break
      case 'tool-input-delta': {
        const delta = calls.add(part.id, part.delta)
        if (delta !== undefined) emit(delta)
        break
      }
      case 'response-metadata':
        response = { ...response, ...part }
        break
      case 'stream-start':
      case 'tool-input-end':
      case 'raw':
      case 'ping':
        break
    }
  }
  throw cutStream(model)
}

type Beginning = Pick<
  Extract<LanguageModelV4StreamPart, { type: 'tool-input-start' }>,
  'id' | 'toolName' | 'providerExecuted'
>
type Whole = Pick<
  Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>,
  'toolCallId' | 'toolName' | 'providerExecuted'
>

/** The calls of a streamed reply, in their order, and their arguments. Those that the provider executes are not told. */
class StreamedCalls {
  readonly #calls = new Map<string, Pick<CallDelta, 'index' | 'id' | 'name'>>()

  begin({ id, toolName, providerExecuted }: Beginning): void {
    if (providerExecuted === true || this.#calls.has(id)) return
    this.#calls.set(id, { index: this.#calls.size, id, name: toolName })
  }

  add(id: string, text: string): CallDelta | undefined {
    const call = this.#calls.get(id)
    return call === undefined ? undefined : { type: 'tool-args', ...call, text }
  }

  /** A call whose arguments were not streamed takes its place among the calls. */
  take({ toolCallId: id, toolName, providerExecuted = false }: Whole): void {
    this.begin({ id, toolName, providerExecuted })
  }
}

/** Most providers end a stream that was cut as they end another one, but without a reason from the server. */
function cutStream(model: string): RetryableError {
  return new RetryableError(`The stream of model "${model}" ended before the reply did.`, {
    code: 'MODEL_STREAM_INCOMPLETE',
  })
}

type Metadata = Parameters<typeof optionsOf>[0]

interface OpenWords {
  readonly type: Words['type']
  readonly id: string
  text: string
  metadata?: Metadata
}

class StreamedContent {
  readonly #parts: (OpenWords | Content)[] = []

  get parts(): readonly Content[] {
    return this.#parts.map((part) => {
      if (!isOpen(part)) return part
      const { type, text, metadata } = part
      return { type, text, ...optionsOf(metadata) }
    })
  }

  add(part: Content | undefined): void {
    if (part !== undefined) this.#parts.push(part)
  }

  /** Adds to the text or the reasoning of this id. Its last metadata count: a signature comes at the end. */
  addWords(
    type: Words['type'],
    id: string,
    text: string,
    given: { readonly providerMetadata?: Metadata },
  ): void {
    const known = this.#parts.findLast((part) => isOpen(part) && part.type === type && part.id === id)
    const open = known !== undefined && isOpen(known) ? known : { type, id, text: '' }
    if (open !== known) this.#parts.push(open)
    open.text += text
    if (given.providerMetadata !== undefined) open.metadata = given.providerMetadata
  }
}

function isOpen(part: OpenWords | Content): part is OpenWords {
  return (part.type === 'text' || part.type === 'reasoning') && 'id' in part
}
