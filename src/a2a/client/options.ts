/** The options of `remoteAgent`. */
import type { AgentStatus, Schema, SupervisorOptions } from '../../index.ts'
import {
  type Field,
  aFunction,
  aName,
  aText,
  anything,
  either,
  having,
  is,
  milliseconds,
  oneOf,
  optional,
  positiveInteger,
  recordOf,
  required,
  withDefault,
} from '../../kit/index.ts'
import { type Shaped, agentStatuses, optionsOf } from '../../kit/host.ts'
import type { AgentCard } from '@a2a-js/sdk'

/** The options of a run of an agent that another system serves. */
export type RemoteRunOptions = Pick<
  SupervisorOptions,
  | 'retries'
  | 'hookErrors'
  | 'hookTimeout'
  | 'budget'
  | 'inputProcessors'
  | 'outputProcessors'
  | 'structuredOutput'
  | 'onFinish'
>

/** The options of `remoteAgent`. `Given`: the schema of its answers. */
export interface RemoteAgentOptions<Given extends Schema = Schema>
  extends Omit<RemoteRunOptions, 'structuredOutput'>, Partial<Shaped<Given>> {
  /** A letter, then at most 54 letters, digits, "_" or "-". Unique in a troupe. */
  readonly id: string
  /** Describes the agent to a supervisor. Default: the description in the card; with `url` it is required. */
  readonly description?: string
  /** As of every agent. Default: none. */
  readonly version?: string
  /** As of every agent. Default: `'published'`. */
  readonly status?: AgentStatus
  /**
   * The address of the agent: its card is at `/.well-known/agent-card.json` below it, or at the address itself where it ends
   * with `.json`. Requests go to this origin alone, whatever the card says. Give it, or the card.
   */
  readonly url?: string
  /** The card of the agent, from a source that you trust: requests go to the origins of its interfaces. */
  readonly card?: AgentCard
  /** Headers of each request, such as `authorization`, or a function that makes them. Default: none. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
  /** Makes the requests. Default: the one of the platform. */
  readonly fetch?: typeof fetch
  /** Milliseconds that one request may take, a stream excepted. Default: 30 000. */
  readonly requestTimeout?: number
  /** Milliseconds between two looks at a task whose server does not stream. Default: 1 000. */
  readonly pollInterval?: number
  /** Bytes of one reply. Default: 16 777 216. */
  readonly maxReplyBytes?: number
}

const aRecordOfTexts = recordOf(aText, 'an object of texts')

const aWebAddress = is(
  'an address of the web',
  (given) => typeof given === 'string' && /^https?:$/.test(URL.parse(given)?.protocol ?? ''),
)

/** The fields of its own, beside the options of every agent of the pattern. */
export const ownFields = {
  url: optional(aWebAddress),
  card: optional(having('the card of an agent')),
  headers: withDefault(
    either((given) => typeof given === 'function', aFunction, aRecordOfTexts),
    {},
  ),
  fetch: optional(aFunction),
  requestTimeout: withDefault(milliseconds, 30_000),
  pollInterval: withDefault(milliseconds, 1_000),
  maxReplyBytes: withDefault(positiveInteger, 16_777_216),
} as const

export const remoteFields: Readonly<Record<string, Field>> = {
  id: required(anything),
  description: optional(aText),
  version: optional(aName),
  status: optional(oneOf(...agentStatuses)),
  ...ownFields,
  ...optionsOf.remote,
}
