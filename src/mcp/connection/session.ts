/** A client that is connected, with what is known of its requests. */
import { noContext } from '../../kit/index.ts'
import { unobserved } from '../../kit/wire/index.ts'
import type { Client, Transport } from '@modelcontextprotocol/client'
import { type ActorRefFrom, type EventFrom, createActor, fromPromise, toPromise } from 'xstate'
import type { McpClient } from './client.ts'
import type { HeldSession } from './connection-machine.ts'
import { sessionMachine } from './session-machine.ts'
import { listenedOn } from './wire.ts'

const sessions = new WeakMap<object, Session>()

/** `undefined` for a client that no connection has made. */
export function sessionOf(client: McpClient): Session | undefined {
  return sessions.get(client)
}

/** Milliseconds in which a server must answer a plain request. */
const patience = 10_000

/** Called when the server begins to wait for this program, and when it has its answers. */
type AskingListener = (isAsking: boolean) => void

export class Session implements HeldSession {
  readonly client: Client
  /** Resolves when the client is closed. */
  readonly closed: Promise<unknown>
  readonly #actor: ActorRefFrom<ReturnType<typeof sessionMachine>>
  /** Requests of the server that this program has not answered. */
  #asked = 0
  readonly #listeners = new Set<AskingListener>()
  #probe: Promise<unknown> | undefined

  constructor(client: Client) {
    this.client = client
    const close = fromPromise<void>(() => client.close())
    this.#actor = createActor(sessionMachine().provide({ actors: { close } }))
    this.closed = toPromise(this.#actor)
    this.#actor.start()
    sessions.set(client, this)
  }

  /** An attempt that is given up closes its transport. */
  async connect(transport: Transport, signal: AbortSignal): Promise<void> {
    const giveUp = (): void => void unobserved(transport.close()) // the attempt rejects, and says why
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    const listened = listenedOn(transport, {
      sent: () => this.#send({ type: 'request.sent' }),
      settled: () => this.#send({ type: 'request.settled' }),
      asked: () => this.#count(1),
      answered: () => this.#count(-1),
      answers: () => this.client.getProtocolEra() !== 'modern',
      asksPersons: () => answersElicitation(this.client),
    })
    try {
      await this.client.connect(listened)
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  retire(): void {
    this.#send({ type: 'session.retired' })
  }

  end(): void {
    this.#send({ type: 'session.ended' })
  }

  /** The transport has closed. */
  gone(): void {
    this.#send({ type: 'transport.closed' })
  }

  /**
   * The error with which the server answers a plain request of this session; `undefined` where it answers as it should. Parallel
   * callers share one request.
   */
  refusal(): Promise<unknown> {
    this.#probe ??= noContext.run(() => this.#ask())
    return this.#probe
  }

  async #ask(): Promise<unknown> {
    try {
      if (this.client.getProtocolEra() === 'modern') await this.client.discover({ timeout: patience })
      else await this.client.ping({ timeout: patience })
      return undefined
    } catch (error) {
      return error ?? new Error('The server answered with no error that can be read.')
    } finally {
      this.#probe = undefined
    }
  }

  get isAsking(): boolean {
    return this.#asked > 0
  }

  /** Returns a function that ends it. */
  onAsking(listener: AskingListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #count(change: 1 | -1): void {
    const was = this.isAsking
    this.#asked += change
    if (this.isAsking !== was) for (const listener of this.#listeners) listener(this.isAsking)
  }

  /** What it begins is of all calls: it belongs to the context of none. */
  #send(event: EventFrom<ReturnType<typeof sessionMachine>>): void {
    noContext.run(() => this.#actor.send(event))
  }
}

/** The package tells it by an error alone. */
function answersElicitation(client: Client): boolean {
  try {
    client.assertCanSetRequestHandler('elicitation/create')
    return false
  } catch {
    return true
  }
}
