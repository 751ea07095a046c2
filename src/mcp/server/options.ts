/** The options of `mcpServer`. */
import type { AgentDefinition, OnError, Run, TraceContext, TroupeBlobs } from '../../index.ts'
import {
  type Fields,
  aFunction,
  aName,
  having,
  is,
  isRecord,
  milliseconds,
  optional,
  recordOf,
  required,
} from '../../kit/index.ts'

/** The part of the handle of a run that a server uses. */
export type ServedRun = Pick<Run, 'id' | 'events' | 'whenIdle' | 'signal' | 'cancel'>

/** The part of a troupe that a server uses: one of `createTroupe`, or the client of `restateTroupe`. */
export interface ServingTroupe {
  start(agent: AgentDefinition, prompt: string, options?: object): Promise<ServedRun>
  resume(runId: string, options?: Partial<TraceContext>): Promise<ServedRun>
  /** Has the bytes of the files in answers. */
  readonly blobs?: Pick<TroupeBlobs, 'get'>
}

/** A call of an agent over MCP, as `runOptions` sees it. */
export interface McpAgentCall {
  /** The name of the agent's tool. */
  readonly agent: string
  readonly prompt: string
  /** The holder of the access token, where your HTTP server has checked one: `AuthInfo` of the MCP package. */
  readonly authInfo: McpAuthInfo | undefined
}

/** The answer of a client to a question of a run, as `answeredBy` sees it. */
export type McpAnswering = Omit<McpAgentCall, 'prompt'>

/** The facts of an access token that a caller has shown. */
export interface McpAuthInfo {
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/** The options of `mcpServer`. */
export interface McpServerOptions {
  /** The agents to offer, by the names of their tools. Each needs a description. */
  readonly agents: Readonly<Record<string, AgentDefinition>>
  /** The troupe that runs them; `restateTroupe` too. */
  readonly troupe: ServingTroupe
  /** The name of the server. Default: `troupe`. */
  readonly name?: string
  /** The version of the server. Default: `1`. */
  readonly version?: string
  /**
   * Gives the options of a run, such as `resourceId` and `context`, from the call that starts it. They are data: a
   * function is not there any more when the run goes on after a restart. Where it throws, answers with no object or does not
   * answer within a minute, no run is started. Default: none.
   */
  readonly runOptions?: (call: McpAgentCall) => object | Promise<object>
  /**
   * Names the person or program that answers a question of a run, for the journal and for `tool-call-answered`.
   * Where it throws, answers with another value or does not answer within a minute, the answer is not delivered.
   * Default: the `clientId` of the access token, where your HTTP server has checked one.
   */
  readonly answeredBy?: (call: McpAnswering) => string | undefined | Promise<string | undefined>
  /**
   * The secret, of at least 32 characters, that signs the id of a run which waits for an answer. Servers that share it
   * accept the answers to each other's questions. Default: a random one, so that answers reach this process alone.
   */
  readonly secret?: string
  /** Milliseconds for which a question may be answered by the client. Default: a week. */
  readonly answerTimeout?: number
  /**
   * Receives errors of which a client learns the code alone, and those of which no client learns: a run that could not be
   * cancelled. Default: one `console.warn` each.
   */
  readonly onError?: OnError
}

export const defaultAnswerTimeout = 7 * 24 * 60 * 60 * 1000

const secretLength = 32

/** The names of tools that models and MCP clients accept. */
const toolName = /^[A-Za-z0-9_-]{1,64}$/

const anAgent = is(
  'an agent with a description',
  (given) => isRecord(given) && isRecord(given['settings']) && typeof given['description'] === 'string',
)

const byToolName = is(
  'an object of agents by names of at most 64 letters, digits, "_" or "-"',
  (given) =>
    isRecord(given) &&
    Object.keys(given).length > 0 &&
    Object.keys(given).every((name) => toolName.test(name)),
)

export const serverFields: Fields<McpServerOptions> = {
  agents: required((given, where) => recordOf(anAgent)(byToolName(given, where), where)),
  troupe: required(having('a troupe', 'start', 'resume')),
  name: optional(aName),
  version: optional(aName),
  runOptions: optional(aFunction),
  answeredBy: optional(aFunction),
  secret: optional(
    is(
      `a text of at least ${secretLength} characters`,
      (given) => typeof given === 'string' && given.length >= secretLength,
      {
        isSecret: true,
      },
    ),
  ),
  answerTimeout: optional(milliseconds),
  onError: optional(aFunction),
}

/** What the client gives back with its answers. */
export interface AskedState {
  readonly agent: string
  readonly runId: string
  /** A digest of each question: an answer that comes once more is none to the next question of the same call. */
  readonly questions: readonly string[]
  /** The number of the last event that was reported as progress. */
  readonly after: number
}
