/** A transport that is listened on: which requests are under way, and while the server waits for this program. */
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client'

export interface WireListener {
  /** A request leaves. */
  sent(): void
  /** A request has its answer, or gets none any more. */
  settled(): void
  /** The server asks this program for something. */
  asked(): void
  /** The server has its answer, or wants none any more. */
  answered(): void
  /** Whether the client answers requests of the server. */
  answers(): boolean
  /** Whether a person can be asked in the middle of a call. */
  asksPersons(): boolean
}

/** The data of the error that a request gets when its stream ends before the answer. */
export const streamEnded: unknown = Object.freeze({ streamEnded: true })

/**
 * The same transport, listened on. A request whose stream has ended for good gets an error at once, and not at its timeout. A
 * request that is cancelled ends its stream, which the package would else go on asking for.
 */
export function listenedOn(transport: Transport, listener: WireListener): Transport {
  const wire = new Wire(transport, listener)
  return new Proxy(transport, {
    get: (target, key) => {
      if (key === 'send') return wire.send
      if (key === 'onmessage') return wire.receiver
      const value: unknown = Reflect.get(target, key, target)
      // A method of a class may read private fields of its own object.
      return isMethod(value) && !Object.hasOwn(target, key) ? value.bind(target) : value
    },
    set: (target, key, value: unknown) => {
      if (key !== 'onmessage') return Reflect.set(target, key, value, target)
      wire.listen(value as Receive | undefined)
      return true
    },
  })
}

function isMethod(value: unknown): value is (...args: readonly unknown[]) => unknown {
  return typeof value === 'function'
}

type Receive = NonNullable<Transport['onmessage']>

/** A request of this program that has no answer yet. */
interface Open {
  readonly stream: AbortController
}

class Wire {
  readonly #transport: Transport
  readonly #listener: WireListener
  readonly #open = new Map<RequestId, Open>()
  /** Requests of the server that have no answer yet. */
  readonly #asked = new Set<RequestId>()
  /** What the client has set to receive messages. */
  receiver: Receive | undefined

  constructor(transport: Transport, listener: WireListener) {
    this.#transport = transport
    this.#listener = listener
  }

  listen(receiver: Receive | undefined): void {
    this.receiver = receiver
    if (receiver === undefined) delete this.#transport.onmessage
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
    else this.#transport.onmessage = this.#receive
  }

  readonly send = async (message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> => {
    const { request, cancelled, answer } = readMessage(message)
    if (request !== undefined) return this.#ask(request, this.#truthful(message), options)
    await this.#transport.send(message, options)
    if (cancelled !== undefined) this.#giveUp(cancelled)
    if (answer !== undefined) this.#answered(answer)
  }

  readonly #receive: Receive = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
    const { request, cancelled, answer } = readMessage(message)
    if (request !== undefined && this.#listener.answers()) this.#isAsked(request)
    if (cancelled !== undefined) this.#answered(cancelled)
    this.receiver?.(message, extra)
    if (answer !== undefined) this.#settle(answer)
  }

  async #ask(id: RequestId, message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    const stream = new AbortController()
    const { requestSignal, onRequestStreamEnd } = options
    requestSignal?.addEventListener('abort', () => this.#giveUp(id), { once: true })
    this.#open.set(id, { stream })
    this.#listener.sent()
    try {
      await this.#transport.send(message, {
        ...options,
        requestSignal: stream.signal,
        onRequestStreamEnd: () => {
          onRequestStreamEnd?.()
          this.#endUnanswered(id)
        },
      })
    } catch (error) {
      this.#settle(id)
      throw error
    }
  }

  /** Its stream has ended, and the answer can come by no other. */
  #endUnanswered(id: RequestId): void {
    if (!this.#open.has(id)) return
    const error = { code: -32_000, message: 'The stream ended before the answer', data: streamEnded }
    this.receiver?.({ jsonrpc: '2.0', id, error })
    this.#settle(id)
  }

  /** Nobody waits for the answer any more: nor does its stream. */
  #giveUp(id: RequestId): void {
    this.#open.get(id)?.stream.abort()
    this.#settle(id)
  }

  #settle(id: RequestId): void {
    if (this.#open.delete(id)) this.#listener.settled()
  }

  #isAsked(id: RequestId): void {
    this.#asked.add(id)
    this.#listener.asked()
  }

  #answered(id: RequestId): void {
    if (this.#asked.delete(id)) this.#listener.answered()
  }

  /** A server of an older revision asks a person in the middle of a call: it is told that it can where a handler answers. */
  #truthful(message: JSONRPCMessage): JSONRPCMessage {
    if (!('method' in message) || message.method !== 'initialize' || this.#listener.asksPersons())
      return message
    const { capabilities, ...params } = message.params ?? {}
    const { elicitation: _, ...others } = { ...(capabilities as object | undefined), elicitation: undefined }
    return { ...message, params: { ...params, capabilities: others } }
  }
}

interface Read {
  /** The id of a request. */
  readonly request?: RequestId
  /** The id of the request that is cancelled. */
  readonly cancelled?: RequestId
  /** The id of the request that is answered. */
  readonly answer?: RequestId
}

function readMessage(message: JSONRPCMessage): Read {
  if (!('method' in message)) return message.id === undefined ? {} : { answer: message.id }
  if ('id' in message) return { request: message.id }
  const cancelled = message.method === 'notifications/cancelled' ? message.params?.['requestId'] : undefined
  return typeof cancelled === 'string' || typeof cancelled === 'number' ? { cancelled } : {}
}
