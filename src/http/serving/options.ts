/** The options of `createHandler`. */
import type {
  AgentDefinition,
  JsonValue,
  OnError,
  Prompt,
  RunService,
  TroupeBlobs,
  TroupeSchedules,
} from '../../index.ts'
import {
  type Fields,
  type GivenAgents,
  aFunction,
  either,
  having,
  is,
  milliseconds,
  noneOrAgents,
  oneOf,
  optional,
  positiveInteger,
  required,
  withDefault,
} from '../../kit/index.ts'
import type { Access, Authorize } from '../access/authorize.ts'
import type { ServedErrors } from './served-errors.ts'

/** The part of a troupe that a handler serves: a `Troupe` and a `RestateTroupe` with `admin` have it. */
export interface ServedTroupe extends Pick<
  RunService,
  'runs' | 'awaiting' | 'watch' | 'signal' | 'delete' | 'journal' | 'subscribe' | 'phase' | 'stats' | 'health'
> {
  /** The bytes of files. Absent: there are none to serve. */
  readonly blobs?: Pick<TroupeBlobs, 'get'>
  /** Absent: the engine has no schedules. */
  readonly schedules?: TroupeSchedules
  start(agent: AgentDefinition, prompt: Prompt, options?: object): Promise<{ readonly id: string }>
}

/** A start over HTTP, as `runOptions` sees it. */
export interface StartRequest {
  /** Its body was read. */
  readonly request: Request
  /** The id of the agent. */
  readonly agent: string
  readonly prompt: Prompt
  /** What the client sends beside the prompt: unchecked JSON. Absent: nothing. */
  readonly input?: JsonValue
  /** The answer of `authorize`. */
  readonly access: Access
}

/** The name of a protocol between clients and runs. */
export type WireName = 'troupe' | 'ai-sdk' | 'ag-ui'

/** The options of `createHandler`. */
export interface HandlerOptions {
  /**
   * Decides about each request, by its right and its run. `'everybody'`: each caller may do everything with every run, as
   * for a server that only its own machine reaches.
   */
  readonly authorize: Authorize | 'everybody'
  /** The agents of which clients may start runs. Default: none. */
  readonly agents?: GivenAgents
  /**
   * Gives options of the run that a request starts, such as `context`. They take precedence over the thread and the
   * conversation that the client asks for. Default: none.
   */
  readonly runOptions?: (start: StartRequest) => object | Promise<object>
  /**
   * What clients see of the errors of runs, over each wire. `'code'`: the code alone, since texts of errors name hosts, tables
   * and files. `'show'`: the whole error, for clients that you trust. A function gives the text; where it fails, clients see
   * the code. Default: `'code'`.
   */
  readonly errors?: ServedErrors
  /** The protocol between clients and runs. Default: `troupe`, that of the library. */
  readonly wire?: WireName
  /** The path before the routes, for example `/api/troupe`. Default: none. */
  readonly base?: string
  /** The most bytes of a body. A file of a prompt is in the body, as base64. Default: 4 MiB. */
  readonly maxBodyBytes?: number
  /** Milliseconds between two comments that keep a quiet stream of events open. Default: 15 000. */
  readonly heartbeat?: number
  /** Milliseconds after which a reader comes back that has lost its stream. Default: 1 000. */
  readonly retry?: number
  /**
   * Milliseconds for which a reader may take no event before its stream ends with the error `READER_TIMEOUT`, so that it holds no
   * memory and no connection; it comes back behind its last event. Default: 60 000.
   */
  readonly readerTimeout?: number
  /** Receives errors for which a request was answered with the status 500 or 503. Default: one `console.warn` each. */
  readonly onError?: OnError
}

const aBase = is(
  "a path that begins with '/' and does not end with it",
  (given) => typeof given === 'string' && (given === '' || /^(?:\/[^/?#\s]+)+$/.test(given)),
)

export const aServedTroupe = having(
  'a troupe',
  'start',
  'runs',
  'awaiting',
  'watch',
  'signal',
  'delete',
  'journal',
)

export const handlerFields = {
  authorize: required(
    either(
      (given) => typeof given === 'function',
      aFunction,
      is("a function, or 'everybody'", (given) => given === 'everybody'),
    ),
  ),
  agents: optional(noneOrAgents),
  runOptions: optional(aFunction),
  errors: withDefault(
    either((given) => typeof given === 'function', aFunction, oneOf('code', 'show')),
    'code',
  ),
  wire: withDefault(oneOf('troupe', 'ai-sdk', 'ag-ui'), 'troupe'),
  base: withDefault(aBase, ''),
  maxBodyBytes: withDefault(positiveInteger, 4 * 2 ** 20),
  heartbeat: withDefault(milliseconds, 15_000),
  retry: withDefault(positiveInteger, 1_000),
  readerTimeout: withDefault(milliseconds, 60_000),
  onError: optional(aFunction),
} satisfies Fields<HandlerOptions>
