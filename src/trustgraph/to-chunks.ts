/** The events of a run as the chunks of TrustGraph's streaming protocol. */
import type { RunEvent } from '../index.ts'
import { type Fields, aBoolean, agentPath, defaultsOf, readOptions, withDefault } from '../kit/index.ts'
import {
  callChunk,
  endChunk,
  ended,
  going,
  last,
  lostChunk,
  spokenChunk,
  spokenId,
  type TrustGraphChunk,
  type OpenChunk,
} from './chunk.ts'

/** The options of `toTrustGraphChunks`. */
export interface TrustGraphChunkOptions {
  /**
   * Text of a model that may also call tools is either an answer or a thought beside calls, and only its end decides.
   * `false`: such text is passed on when it is complete. `true`: it is passed on as it comes, as an answer; where calls
   * follow, the last chunk of the message is a `thought`. Default: `false`.
   */
  readonly liveText?: boolean
}

const fields = { liveText: withDefault(aBoolean, false) } satisfies Fields<TrustGraphChunkOptions>

/**
 * Yields the chunks of a run as its events come, live or from a replay. All chunks of a message have one `message_id`.
 * Each message is ended when it is complete; that of the root agent's answer when it is known whether the run ends with
 * it. Throws a `ConfigurationError` for a wrong option.
 * @experimental
 */
export function toTrustGraphChunks(
  events: AsyncIterable<RunEvent>,
  options: TrustGraphChunkOptions = {},
): AsyncGenerator<TrustGraphChunk> {
  const read = readOptions<TrustGraphChunkOptions>(options, 'toTrustGraphChunks', fields)
  const { liveText } = { ...defaultsOf(fields), ...read }
  return chunksOf(events, new Dialog(liveText))
}

type Delta = Extract<RunEvent, { type: 'text-delta' | 'reasoning-delta' }>
type End = Extract<RunEvent, { type: 'text-end' | 'reasoning-end' }>

/** The messages of a run, from its events in their order: each is ended when it is complete, and the dialog once. */
class Dialog {
  readonly #isLive: boolean
  /** By agent path: calls are on offer to its model in the present step, so that its text may be a thought. */
  readonly #undecided = new Set<string>()
  /** By message: the last chunk, which may be the last of all. */
  readonly #open = new Map<string, OpenChunk>()
  /** The end of the root agent's last answer: the run may end with it. */
  #answer: { readonly messageId: string | undefined; readonly end: OpenChunk } | undefined
  /** Delegations of the root agent in the background: while one is at work, no answer is the last message. */
  readonly #background = new Set<string>()

  /** `isLive`: text is passed on before it is known whether it is a thought or an answer. */
  constructor(isLive: boolean) {
    this.#isLive = isLive
  }

  /** The chunks that follow from an event. */
  *take(event: RunEvent): Generator<TrustGraphChunk> {
    if (goesOn(event)) yield* this.#release()
    switch (event.type) {
      case 'step-start':
        if (event.payload.offered !== undefined) this.#undecided.add(agentPath(event.path))
        break
      case 'step-finish':
        this.#undecided.delete(agentPath(event.path))
        break
      case 'text-delta':
      case 'reasoning-delta':
        yield* this.#speak(event)
        break
      case 'text-end':
      case 'reasoning-end':
        if (event.payload.status === 'complete') yield* this.#conclude(event)
        else yield* this.#abandon(event.messageId, event.type === 'text-end' ? 'answer' : 'thought')
        break
      case 'tool-call':
      case 'tool-result':
      case 'tool-error':
        yield ended(callChunk(event))
        break
      case 'error':
      case 'model-fallback':
        yield* this.#abandon(event.messageId)
        break
      case 'delegation-end':
        yield* this.#lose(event)
        break
      case 'background-start':
        if (event.delegationId === undefined) this.#background.add(event.payload.taskId)
        break
      case 'background-end':
        this.#background.delete(event.payload.taskId)
        break
      case 'run-finish':
        yield* this.#end(event)
        break
      default: // other events have no chunk
    }
  }

  *#speak(event: Delta): Generator<TrustGraphChunk> {
    const isText = event.type === 'text-delta'
    // The whole text comes with its end, where its kind is known.
    if (isText && !this.#isLive && this.#undecided.has(agentPath(event.path))) return
    const key = spokenId(event)
    const before = this.#open.get(key)
    if (before === undefined) yield* this.#abandon(event.messageId, isText ? 'answer' : 'thought')
    else yield going(before)
    this.#open.set(key, spokenChunk(event, isText ? 'answer' : 'thought', event.payload.text, before))
  }

  *#conclude(event: End): Generator<TrustGraphChunk> {
    const isThought = event.type === 'reasoning-end' || event.payload.toolCalls !== undefined
    const type = isThought ? 'thought' : 'answer'
    const [key = spokenId(event), held] = this.#attemptOf(event) ?? []
    this.#open.delete(key)
    const whole = held ?? spokenChunk(event, type, event.payload.text)
    if (isThought || event.delegationId !== undefined || this.#background.size > 0) {
      yield ended({ ...whole, message_type: type })
      return
    }
    yield going(whole)
    this.#answer = { messageId: event.messageId, end: { ...whole, content: '' } }
  }

  /** The attempt at a message that is under way: its end does not name the attempt. */
  #attemptOf(event: End): readonly [key: string, chunk: OpenChunk] | undefined {
    const isReasoning = event.type === 'reasoning-end'
    for (const entry of this.#open) {
      if (belongsTo(entry[0], event.messageId) && entry[0].endsWith('/thought') === isReasoning) return entry
    }
    return undefined
  }

  /** Ends what is open of a message that will not be completed: its attempt has failed, or another one has begun. */
  *#abandon(messageId: string | undefined, type?: OpenChunk['message_type']): Generator<TrustGraphChunk> {
    for (const [key, chunk] of this.#open) {
      if (!belongsTo(key, messageId) || (type !== undefined && chunk.message_type !== type)) continue
      this.#open.delete(key)
      yield ended(chunk)
    }
  }

  /** The run goes on: the last answer of the root agent was not the final message. */
  *#release(): Generator<TrustGraphChunk> {
    if (this.#answer === undefined) return
    const { end } = this.#answer
    this.#answer = undefined
    yield ended(end)
  }

  /** A subagent that has not done its task says so last: what it was saying is ended before. */
  *#lose(event: Extract<RunEvent, { type: 'delegation-end' }>): Generator<TrustGraphChunk> {
    const lost = lostChunk(event)
    if (lost === undefined) return
    for (const [key, chunk] of this.#open) {
      if (chunk.session_id !== lost.session_id) continue
      this.#open.delete(key)
      yield ended(chunk)
    }
    yield ended(lost)
  }

  *#end(event: Extract<RunEvent, { type: 'run-finish' }>): Generator<TrustGraphChunk> {
    for (const chunk of this.#open.values()) yield ended(chunk)
    const answer = this.#answer
    if (answer !== undefined && answer.messageId === event.messageId) {
      yield last(answer.end)
      return
    }
    yield* this.#release()
    yield last(endChunk(event))
  }
}

/** An event that no run has between the text of its final message and its end. */
function goesOn({ delegationId, type }: RunEvent): boolean {
  switch (type) {
    case 'step-start':
    case 'text-start':
    case 'text-delta':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'handoff':
    case 'iteration-feedback':
      return delegationId === undefined
    default:
      return false
  }
}

function belongsTo(key: string, messageId: string | undefined): boolean {
  return messageId !== undefined && (key === messageId || key.startsWith(`${messageId}/`))
}

async function* chunksOf(events: AsyncIterable<RunEvent>, dialog: Dialog): AsyncGenerator<TrustGraphChunk> {
  for await (const event of events) yield* dialog.take(event)
}
