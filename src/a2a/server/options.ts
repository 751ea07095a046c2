/** The options of `a2aHandler`. */
import type { OnError } from '../../index.ts'
import { type Fields, aFunction, anything, having, optional, required } from '../../kit/index.ts'
import type { AgentCard, Message } from '@a2a-js/sdk'
import type { A2ARequestHandler, RequestContext } from '@a2a-js/sdk/server'
import type { A2aPushOptions } from '../push/options.ts'
import type { ResumePushOptions } from '../push/pushes.ts'
import type { A2aTroupe } from '../tasks/troupe.ts'

/** An agent behind the transports of the SDK. */
export interface A2aHandler extends A2ARequestHandler {
  /**
   * Goes on with push notifications that another process has left, such as one that has ended: call it at the start of a process.
   * It does nothing where there are none.
   */
  resumePush(options?: ResumePushOptions): Promise<void>
  /** Ends the sending here: another process, or the next one, goes on with it. Call it before the troupe is closed. */
  closePush(): Promise<void>
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
   * Where clients may have push notifications sent to. Its configs are kept in the store of the troupe. Default: nowhere, and
   * the card says so.
   */
  readonly push?: A2aPushOptions
  /**
   * Receives errors of which a client learns the code alone: a message that could not be delivered, a run that could not be
   * followed, a push notification that was given up. Default: one `console.warn` each.
   */
  readonly onError?: OnError
}

export const handlerFields: Fields<A2aHandlerOptions> = {
  troupe: required(having('a troupe', 'start', 'runs', 'awaiting', 'watch', 'replay', 'signal', 'cancel')),
  card: required(having('the card of an agent')),
  runOptions: optional(aFunction),
  answeredBy: optional(aFunction),
  push: optional(anything),
  onError: optional(aFunction),
}
