/**
 * Attaches `@statelyai/inspect` to troupes. The inspector does not affect runs: the data of a step are read after the
 * step, and each kind of failure is reported once and goes no further.
 */
import { ConfigurationError } from '../index.ts'
import {
  type Expected,
  type Fields,
  type Reader,
  aFunction,
  askUser,
  defaultsOf,
  having,
  is,
  isRecord,
  optional,
  readOptions,
  withDefault,
  yesOrNo,
  soon,
} from '../kit/index.ts'
import { aPort } from '../kit/host.ts'
import { createInspector, type StatelyInspectionEvent } from '@statelyai/inspect'
import type { InspectionEvent } from 'xstate'
import { reportOnce, type ReportFailure } from './report-once.ts'
import { InspectedActors } from './inspected-actors.ts'
import {
  adapterTransport,
  loadingTransport,
  withinGrace,
  unsent,
  type MessageAdapter,
  type Transport,
} from './transport.ts'

/** Give at most one of `port` and `adapter`. */
export interface StatelyInspectorOptions {
  /** Serves a page that shows the runs of this process, to this machine alone. Default: 0, any free port. */
  readonly port?: number
  /** The inspector that this page embeds. Default: `https://stately.ai/inspect`. */
  readonly inspectorPage?: string
  /** Anything else that takes messages: in a browser, `createBrowserInspector().adapter`. */
  readonly adapter?: MessageAdapter
  /**
   * Selects the messages that are sent. A message is held back where it throws, answers neither true nor false, or does not
   * answer within a minute. Default: all.
   */
  readonly filter?: (message: StatelyInspectionEvent) => boolean | Promise<boolean>
  /**
   * The last change to a message, for example to withhold `snapshot.context`: its return value is sent. The message is
   * plain data of its own and may be changed. A message is held back where it throws, returns no message, or does not
   * answer within a minute. Default: none.
   */
  readonly sanitize?: (
    message: StatelyInspectionEvent,
  ) => StatelyInspectionEvent | Promise<StatelyInspectionEvent>
  /** Called once for each kind of failure. Default: a warning on the console. */
  readonly onError?: (error: Error) => void
}

/** Shows the actors of runs in the Stately inspector. */
export interface StatelyInspector {
  /** For `createTroupe({ inspect })`, `troupe.replay(id, { inspect })` and `createActor(logic, { inspect })`. */
  readonly inspect: (event: InspectionEvent) => void
  /** The address of the page. `undefined` with `adapter`, and when the page could not be served. */
  readonly page: Promise<string | undefined>
  /** Sends the messages that are left, for at most a few seconds, and ends connections and page. Never rejects. */
  stop(): Promise<void>
}

const fields = {
  port: withDefault(aPort, 0),
  inspectorPage: withDefault(aUrl('http:', 'https:'), 'https://stately.ai/inspect'),
  adapter: optional(having('an object with a method "send"', 'send')),
  filter: optional(aFunction),
  sanitize: optional(aFunction),
  onError: optional(aFunction),
} satisfies Fields<StatelyInspectorOptions>

/** The error does not show the given value: it may hold a password. */
function aUrl(...protocols: readonly string[]): Reader {
  const isOne = (given: unknown): boolean =>
    typeof given === 'string' && protocols.includes(URL.parse(given)?.protocol ?? '')
  return is(`a URL that begins with ${protocols.join(' or ')}`, isOne, { isSecret: true })
}

/**
 * Throws a `ConfigurationError` for a wrong option.
 * @experimental
 */
export function statelyInspector(given: StatelyInspectorOptions = {}): StatelyInspector {
  const options = readOptions<StatelyInspectorOptions>(given, 'statelyInspector', fields)
  const report = reportOnce(options.onError)
  const attempt = (what: string, action: () => void): void => {
    try {
      action()
    } catch (error) {
      report(what, error)
    }
  }
  const { transport, page } = openTransport(options, report)
  const passage = new Passage(options, (message) => transport.send(message), report)
  const actors = new InspectedActors()

  /** Events passed to the package, which converts each in a timer of its own. */
  let converting = 0
  const converted = Promise.withResolvers<void>()
  let stopped: Promise<void> | undefined

  const inspector = createInspector(
    { send: (message) => passage.take(message) },
    {
      serializationDepthLimit: 100, // the events passed on are plain data of bounded size
      // Called with each message before it is sent.
      filter: () => {
        if (--converting === 0 && stopped !== undefined) soon(converted.resolve)
        return true
      },
    },
  )

  async function end(): Promise<void> {
    if (converting > 0) await withinGrace(converted.promise)
    await withinGrace(passage.passed)
    await transport.stop().catch((cause: unknown) => report('The inspector could not be stopped', cause))
  }

  return {
    inspect(event) {
      if (stopped !== undefined) return
      attempt('The inspector could not read an event', () => {
        const shown = actors.translate(event)
        if (shown === undefined) return
        converting++
        inspector.inspect.next?.(shown)
      })
    },
    page,
    stop: () => (stopped ??= end()),
  }
}

const aMessage: Expected<StatelyInspectionEvent> = {
  words: 'a message',
  fits: (answer): answer is StatelyInspectionEvent => isRecord(answer) && typeof answer['type'] === 'string',
}

/** The functions of the user that guard what an inspector is sent. */
interface Gates {
  readonly filter?: (event: StatelyInspectionEvent) => boolean | Promise<boolean>
  readonly sanitize?: (
    event: StatelyInspectionEvent,
  ) => StatelyInspectionEvent | Promise<StatelyInspectionEvent>
}

/** Lets messages through to the inspector, in their order: those that `filter` selects, as `sanitize` makes them. */
export class Passage {
  readonly #options: Gates
  readonly #send: (message: StatelyInspectionEvent) => void
  readonly #report: ReportFailure
  #passed: Promise<void> = Promise.resolve()

  constructor(options: Gates, send: (message: StatelyInspectionEvent) => void, report: ReportFailure) {
    this.#options = options
    this.#send = send
    this.#report = report
  }

  /** Resolves once all messages so far have passed, or were held back. */
  get passed(): Promise<void> {
    return this.#passed
  }

  /** A message waits for those before it; the functions are asked at once. */
  take(message: StatelyInspectionEvent): void {
    const judged = this.#judged(message)
    const before = this.#passed
    this.#passed = this.#pass(before, judged)
  }

  async #pass(before: Promise<void>, judged: Promise<StatelyInspectionEvent | undefined>): Promise<void> {
    await before
    const message = await judged
    if (message === undefined) return
    try {
      this.#send(message)
    } catch (error) {
      this.#report(unsent, error)
    }
  }

  /** `undefined`: it is held back, also where a function fails. */
  async #judged(message: StatelyInspectionEvent): Promise<StatelyInspectionEvent | undefined> {
    const { filter, sanitize } = this.#options
    try {
      if (filter !== undefined && !(await askUser('filter', () => filter(message), yesOrNo))) return undefined
    } catch (error) {
      this.#report('The filter of the inspector failed', error)
      return undefined
    }
    try {
      return sanitize === undefined ? message : await askUser('sanitize', () => sanitize(message), aMessage)
    } catch (error) {
      this.#report('The sanitize of the inspector failed', error)
      return undefined
    }
  }
}

interface Opened {
  readonly transport: Transport
  readonly page: Promise<string | undefined>
}

/** Loads modules that need Node only when they are used. */
function openTransport(options: StatelyInspectorOptions, report: ReportFailure): Opened {
  const { adapter, port, inspectorPage } = { ...defaultsOf(fields), ...options }
  if (adapter !== undefined && options.port !== undefined) {
    throw new ConfigurationError(
      'statelyInspector: port and adapter: expected at most one of port and adapter.',
    )
  }
  if (adapter !== undefined)
    return { transport: adapterTransport(adapter, report), page: Promise.resolve(undefined) }
  const held = new URL(inspectorPage)
  const loading = import('./page-server.ts').then(({ PageServer }) => new PageServer(port, held, report))
  return {
    transport: loadingTransport(loading, report),
    page: loading.then((server) => server.address).catch(() => undefined),
  }
}
