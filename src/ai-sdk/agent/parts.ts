/** The events of a run as the parts of a stream. Only the root agent speaks; its calls and delegations are calls. */
import type { MessageStatus, Run, RunEvent } from '../../index.ts'
import { deliveredFiles } from '../../kit/index.ts'
import { type ReadBlobs, Speech, answeredWith, handoffPrefix } from '../../kit/host.ts'
import type { LanguageModelV4StreamPart, SharedV4Warning } from '@ai-sdk/provider'
import {
  finalOf,
  finishOf,
  metadataOf,
  suspendedError,
  toCall,
  toFailure,
  toFile,
  toResult,
  toSource,
  usageOf,
} from './answer.ts'

type Part = LanguageModelV4StreamPart

export interface Streaming {
  readonly warnings: SharedV4Warning[]
  readonly signal: AbortSignal | undefined
  readonly blobs: ReadBlobs
}

/**
 * Reads the run from now on: what a model streams before the first part is asked for is part of it. Throws as `finalOf`
 * and `deliveredFiles`.
 */
export function partsOf(run: Run, streaming: Streaming): AsyncGenerator<Part, void> {
  const reader = run.events[Symbol.asyncIterator]()
  return partsFrom(run, { [Symbol.asyncIterator]: () => reader }, streaming)
}

async function* partsFrom(
  run: Run,
  events: AsyncIterable<RunEvent>,
  { warnings, signal, blobs }: Streaming,
): AsyncGenerator<Part, void> {
  yield { type: 'stream-start', warnings }
  const blocks = new Blocks()
  const inputs = new CallInputs()
  const speech = new Speech()
  for await (const event of events) {
    if (event.type === 'suspended') throw suspendedError(run.id)
    if (event.delegationId === undefined) yield* spoken(event, speech, blocks)
    yield* called(event, blocks, inputs)
  }
  yield* inputs.endAll()
  const result = finalOf(await run.result, signal)
  if (result.outcome === 'bailed') yield* blocks.add('text', result.text)
  yield* blocks.close()
  yield* (await deliveredFiles(result.files, blobs)).map(toFile)
  yield {
    type: 'finish',
    finishReason: finishOf(result),
    usage: usageOf(result.usage),
    providerMetadata: metadataOf(result),
  }
}

type CallDeltaEvent = Extract<RunEvent, { type: 'tool-call-delta' }>

/**
 * Each input that has begun ends: before its call, or without one where the call is not made. A model call that is made
 * again begins its inputs again, under the same ids.
 */
class CallInputs {
  readonly #open = new Set<string>()
  /** The attempt at a message that streams the open inputs. */
  #source = ''

  /** A handoff is no call of the stream: its arguments are not part of it. */
  add({ payload, messageId = '', attempt = 1 }: CallDeltaEvent): readonly Part[] {
    const { toolCallId: id, toolName, text: delta } = payload
    if (toolName.startsWith(handoffPrefix)) return []
    const source = `${attempt}:${messageId}`
    const before = source === this.#source ? [] : this.endAll()
    this.#source = source
    return [...before, ...this.#begin(id, toolName), { type: 'tool-input-delta', id, delta }]
  }

  end(id: string): readonly Part[] {
    return this.#open.delete(id) ? [{ type: 'tool-input-end', id }] : []
  }

  endAll(): readonly Part[] {
    return [...this.#open].flatMap((id) => this.end(id))
  }

  #begin(id: string, toolName: string): readonly Part[] {
    if (this.#open.has(id)) return []
    this.#open.add(id)
    return [{ type: 'tool-input-start', id, toolName, providerExecuted: true, dynamic: true }]
  }
}

function* spoken(event: RunEvent, speech: Speech, blocks: Blocks): Generator<Part> {
  if (event.type === 'reasoning-delta') yield* blocks.add('reasoning', event.payload.text)
  if (event.type === 'text-delta') blocks.hear(event.payload.text)
  yield* blocks.say(speech.take(event))
  if (event.type !== 'text-end') return
  const { status } = event.payload
  if (status !== 'complete') return blocks.void(status)
  yield* blocks.take()
  const { sources = [] } = event.payload
  yield* sources.map((source, index) => toSource(source, `${event.messageId}.${index + 1}`))
}

function* called(event: RunEvent, blocks: Blocks, inputs: CallInputs): Generator<Part> {
  yield* streamedInput(event, blocks, inputs)
  const part = callPart(event)
  if (part === undefined) return
  yield* blocks.close()
  if ('toolCallId' in part) yield* inputs.end(part.toolCallId)
  yield part
}

/** The calls of a step are made before its end: an input that is still open then has none. */
function* streamedInput(event: RunEvent, blocks: Blocks, inputs: CallInputs): Generator<Part> {
  if (event.delegationId !== undefined) return
  if (event.type === 'step-finish') yield* inputs.endAll()
  if (event.type !== 'tool-call-delta') return
  yield* blocks.close()
  yield* inputs.add(event)
}

/** A call or a delegation of the root agent, or its result. */
function callPart(event: RunEvent): Part | undefined {
  const { delegationId = '' } = event
  switch (event.type) {
    case 'tool-call':
      return delegationId === ''
        ? toCall(event.payload.toolCallId, event.payload.toolName, event.payload.args)
        : undefined
    case 'tool-result':
      return delegationId === ''
        ? toResult(event.payload.toolCallId, event.payload.toolName, event.payload.result)
        : undefined
    case 'tool-error': {
      const { toolCallId, toolName, outcome, error } = event.payload
      return delegationId === '' ? toFailure(toolCallId, toolName, outcome, error) : undefined
    }
    case 'delegation-start': {
      const { agentName, prompt } = event.payload
      return isOfRoot(delegationId) ? toCall(delegationId, `agent-${agentName}`, { prompt }) : undefined
    }
    case 'delegation-end': {
      const { agentName, text, error } = event.payload
      if (!isOfRoot(delegationId)) return undefined
      const name = `agent-${agentName}`
      const outcome = answeredWith(event.payload)
      return outcome === 'succeeded'
        ? toResult(delegationId, name, text)
        : toFailure(delegationId, name, outcome, error)
    }
    default:
      return undefined
  }
}

/** The id of a delegation is its path: one of a subagent lies within another one. */
function isOfRoot(delegationId: string): boolean {
  return delegationId.split('/delegation:').length === 2
}

/** A text that the agent did not take: its status, and the text of the next attempt so far. */
interface Void {
  readonly status: MessageStatus
  readonly next: string
}

/** The blocks of a stream, one after the other. That of a text that the agent did not take ends with its status. */
class Blocks {
  #open: 'text' | 'reasoning' | undefined
  #void: Void | undefined
  #count = 0

  /** The agent has not taken the text, or may yet say it again. */
  void(status: MessageStatus): void {
    if (this.#open === 'text') this.#void = { status, next: '' }
  }

  /** The agent says something, of which `say` gives what is new. */
  hear(text: string): void {
    if (this.#void !== undefined) this.#void = { ...this.#void, next: this.#void.next + text }
  }

  /** An attempt that does not repeat the text before it is another text. */
  *say(text: string): Generator<Part> {
    if (text === '') return
    const isAnother = this.#void?.next === text
    if (isAnother) yield* this.close()
    this.#void = undefined
    yield* this.add('text', text)
  }

  /** The agent has taken its text. */
  *take(): Generator<Part> {
    if (this.#void?.next !== '') this.#void = undefined
    yield* this.close()
  }

  add(type: 'text' | 'reasoning', delta: string): readonly Part[] {
    if (delta === '') return []
    const before = this.#open === type ? [] : [...this.close(), this.#start(type)]
    return [...before, { type: `${type}-delta`, id: `${this.#count}`, delta }]
  }

  close(): readonly Part[] {
    if (this.#open === undefined) return []
    const status = this.#open === 'text' ? this.#void?.status : undefined
    const mark = status === undefined ? {} : { providerMetadata: { troupe: { status } } }
    const end: Part = { type: `${this.#open}-end`, id: `${this.#count}`, ...mark }
    this.#open = undefined
    this.#void = undefined
    return [end]
  }

  #start(type: 'text' | 'reasoning'): Part {
    this.#open = type
    this.#count++
    return { type: `${type}-start`, id: `${this.#count}` }
  }
}
