/** The options of `a2aHandler`. */
import type { AgentDefinition, OnError, Prompt, RunService, TroupeBlobs } from '../../index.ts'
import { type Fields, aFunction, having, optional, required } from '../../kit/index.ts'
import type { AgentCard, Message } from '@a2a-js/sdk'
import type { RequestContext } from '@a2a-js/sdk/server'

/** The part of a troupe that a server uses: a `Troupe` and a `RestateTroupe` with `admin` have it. */
export interface A2aTroupe extends Pick<
  RunService,
  'runs' | 'awaiting' | 'watch' | 'replay' | 'signal' | 'cancel'
> {
  start(agent: AgentDefinition, prompt: Prompt, options?: object): Promise<{ readonly id: string }>
  /** Has the bytes of the files in answers. */
  readonly blobs?: Pick<TroupeBlobs, 'get'>
}

/** A message of another agent, as the functions of the options see it. */
export type A2aCall = Pick<RequestContext, 'request' | 'taskId' | 'contextId' | 'context'>

/** A message to a task, whose ids it has. */
export interface TaskCall extends A2aCall {
  readonly userMessage: Message
}

/** The options of `a2aHandler`. */
export interface A2aHandlerOptions {
  /** The troupe that runs the agent. */
  readonly troupe: A2aTroupe
  /** The card of the agent, from `agentCard`. */
  readonly card: AgentCard
  /**
   * Gives the options of a run, such as `threadId` and `context`, from the message that starts it. They are data. The run has
   * the caller as its `resourceId` and a `conversationId` of its task, whatever is given. Where it throws, answers with no
   * object or does not answer within a minute, no run is started. Default: none.
   */
  readonly runOptions?: (call: A2aCall) => object | Promise<object>
  /**
   * Names the person or program that answers a question of a run, or says something to it, for the journal. Where it throws,
   * answers with another value or does not answer within a minute, the message is not delivered. Default: the user name of
   * the call, where your server has checked one.
   */
  readonly answeredBy?: (call: A2aCall) => string | undefined | Promise<string | undefined>
  /**
   * Receives errors of which a client learns the code alone: a message that could not be delivered, a run that could not be
   * followed. Default: one `console.warn` each.
   */
  readonly onError?: OnError
}

export const handlerFields: Fields<A2aHandlerOptions> = {
  troupe: required(having('a troupe', 'start', 'runs', 'awaiting', 'watch', 'replay', 'signal', 'cancel')),
  card: required(having('the card of an agent')),
  runOptions: optional(aFunction),
  answeredBy: optional(aFunction),
  onError: optional(aFunction),
}
