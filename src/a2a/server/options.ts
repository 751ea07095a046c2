/** The options of `a2aHandler`. */
import type { AgentCard } from '@a2a-js/sdk'
import type { RequestContext, TaskStore } from '@a2a-js/sdk/server'
import type { Prompt } from '../../actors/message.ts'
import { aFunction, having } from '../../actors/strict/checks.ts'
import { optional, required, type Fields } from '../../actors/strict/read-options.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import type { TroupeBlobs } from '../../runtime/files/blobs.ts'
import type { Run } from '../../runtime/handle/run.ts'

/** The part of the handle of a run that a server uses. */
export type A2aRun = Pick<Run, 'id' | 'events' | 'whenIdle' | 'signal' | 'cancel'>

/** The part of a troupe that a server uses: one of `createTroupe`, or the client of `restateTroupe`. */
export interface A2aTroupe {
  start(agent: AgentDefinition, prompt: Prompt, options?: object): Promise<A2aRun>
  resume(runId: string): Promise<A2aRun>
  cancel(runId: string, reason?: string): Promise<void>
  /** Has the bytes of the files in answers. */
  readonly blobs?: Pick<TroupeBlobs, 'get'>
}

/** A message of another agent, as the functions of the options see it. */
export type A2aCall = Pick<RequestContext, 'request' | 'taskId' | 'contextId' | 'context'>

/** The options of `a2aHandler`. */
export interface A2aHandlerOptions {
  /** The troupe that runs the agent. */
  readonly troupe: A2aTroupe
  /** The card of the agent, from `agentCard`. */
  readonly card: AgentCard
  /**
   * Keeps the tasks, by their owners. Give one that lasts where the store of the troupe does: a task that it does not have
   * cannot be asked for. Default: `InMemoryTaskStore` of the SDK.
   */
  readonly tasks?: TaskStore
  /**
   * Gives the options of a run, such as `threadId`, `resourceId` and `context`, from the message that starts it. They are
   * data. Default: none.
   */
  readonly runOptions?: (call: A2aCall) => object
  /**
   * Names the person or program that answers a question of a run, for the journal. Default: the user name of the call,
   * where your server has checked one.
   */
  readonly answeredBy?: (call: A2aCall) => string | undefined
}

export const handlerFields: Fields<A2aHandlerOptions> = {
  troupe: required(having('a troupe', 'start', 'resume', 'cancel')),
  card: required(having('the card of an agent')),
  tasks: optional(having('a store of tasks', 'load', 'save')),
  runOptions: optional(aFunction),
  answeredBy: optional(aFunction),
}
