/** The options of `mcpTools`. */
import type { DeferOptions, OnError, OnInterrupted } from '../../index.ts'
import {
  type Fields,
  aFunction,
  aText,
  either,
  is,
  isObject,
  listOf,
  milliseconds,
  oneOf,
  optional,
} from '../../kit/index.ts'
import { readNames } from '../../kit/host.ts'
import type { McpTool, ServerProgress } from '../connection/client.ts'

/** A call of a server's tool. */
export interface McpToolCall {
  /** The name that the server gives its tool. */
  readonly tool: string
  readonly runId: string
  /** The agent that calls. */
  readonly agent: string
  readonly toolCallId: string
}

/** Progress of one call. */
export interface McpProgress extends ServerProgress, McpToolCall {}

/** The options of `mcpTools`. */
export interface McpToolsOptions {
  /** Put before the name of each tool, such as `files_`. Default: none. */
  readonly prefix?: string
  /**
   * The tools to offer: their names on the server, or a predicate. A name that the server does not have is an error, and so
   * is a predicate that throws, answers neither true nor false, or does not answer within a minute. Default: all.
   */
  readonly only?: readonly string[] | ((tool: McpTool) => Answer<boolean>)
  /**
   * Whether a person must approve the calls of a tool: for all tools, or by tool. Default: the tools that the server
   * calls destructive (`destructiveHint`).
   */
  readonly approve?: boolean | ((tool: McpTool) => Answer<boolean>)
  /**
   * The policy for a call whose process or connection ended before its answer: for all tools, or by tool. Default:
   * `'retry'` for tools that the server calls read-only or idempotent, else `'ask'`.
   */
  readonly onInterrupted?: OnInterrupted | ((tool: McpTool) => Answer<OnInterrupted>)
  /**
   * What becomes of a result that the server marks as an error. `'fail'`: the call fails, and the model learns of the
   * failure without the text. `'show'`: the model reads `{ error }` with the text. Default: `'fail'`.
   */
  readonly errors?: 'fail' | 'show'
  /**
   * Milliseconds without an answer and without progress after which a call fails, `TOOL_TIMEOUT`. Default: 60 000. At most 24.8 days: a
   * longer time ends after them.
   */
  readonly timeout?: number
  /**
   * Asks the model's server to hold the model to the schemas of the tools: for all tools, or by tool. A tool whose schema
   * cannot be strict is then an error. Default: `false`.
   */
  readonly strict?: boolean | ((tool: McpTool) => Answer<boolean>)
  /** The groups of the tools; as in `createTool`. Default: `['default']`. */
  readonly groups?: readonly string[]
  /**
   * Offers a search for the tools in their place, and what it has found from then on: `true`, or the options of
   * `deferTools`. `always` then names tools as the model sees them. Default: `false`.
   */
  readonly defer?: boolean | DeferOptions<string>
  /**
   * Gives fields of `_meta` for each attempt of a call, such as the `traceparent` and `tracestate` of the active span. An error that it
   * throws fails the call; so does an answer that is no object, or none within a minute. Default: none.
   */
  readonly meta?: (call: McpToolCall) => Answer<Readonly<Record<string, unknown>>>
  /** Called for each report of progress. An error that it throws is reported, and fails nothing. Default: none. */
  readonly onProgress?: (progress: McpProgress) => unknown
  /**
   * Receives errors of `onProgress`, and `MCP_DUPLICATE_TOOL` for a listing with a name that comes twice. Default: one
   * `console.warn` each.
   */
  readonly onError?: OnError
}

type Answer<Value> = Value | Promise<Value>

export const defaultCallTimeout = 60_000

const isFunction = (given: unknown): boolean => typeof given === 'function'

const aBooleanOrFunction = is(
  'true, false or a function of the tool',
  (given) => typeof given === 'boolean' || isFunction(given),
)

export const toolsFields: Fields<McpToolsOptions> = {
  prefix: optional(aText),
  only: optional(either(isFunction, aFunction, listOf(aText, 'a list of names or a function'))),
  approve: optional(aBooleanOrFunction),
  onInterrupted: optional(either(isFunction, aFunction, oneOf('retry', 'ask', 'fail'))),
  errors: optional(oneOf('fail', 'show')),
  timeout: optional(milliseconds),
  strict: optional(aBooleanOrFunction),
  groups: optional(readNames),
  defer: optional(
    is('true, false or the options of deferTools', (given) => typeof given === 'boolean' || isObject(given)),
  ),
  meta: optional(aFunction),
  onProgress: optional(aFunction),
  onError: optional(aFunction),
}
