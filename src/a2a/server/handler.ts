/** `a2aHandler`: an agent behind the request handler of the A2A SDK. */
import type { CancelTaskRequest, Task } from '@a2a-js/sdk'
import {
  DefaultRequestHandler,
  InMemoryTaskStore,
  type A2ARequestHandler,
  type ServerCallContext,
} from '@a2a-js/sdk/server'
import { readOptions } from '../../actors/strict/read-options.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { cancelReason } from './cancel-reason.ts'
import { RunExecutor } from './executor.ts'
import { handlerFields, type A2aHandlerOptions } from './options.ts'

/**
 * Serves an agent to agents of others over Agent2Agent: the transports of `@a2a-js/sdk` take the handler, such as its
 * `JsonRpcTransportHandler`. A task is a run with the same id. Throws a `ConfigurationError` for a wrong option.
 */
export function a2aHandler(agent: AgentDefinition, options: A2aHandlerOptions): A2ARequestHandler {
  const read = readOptions<A2aHandlerOptions>(options, 'a2aHandler', handlerFields)
  return new RunHandler(agent, read)
}

class RunHandler extends DefaultRequestHandler {
  readonly #options: A2aHandlerOptions

  constructor(agent: AgentDefinition, options: A2aHandlerOptions) {
    super(options.card, options.tasks ?? new InMemoryTaskStore(), new RunExecutor(agent, options))
    this.#options = options
  }

  /** The SDK cancels a task that no request is at work on, after a restart for example, without its run. */
  override async cancelTask(params: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    const task = await this.getTask({ id: params.id, tenant: params.tenant }, context)
    const cancelled = await super.cancelTask(params, context)
    await this.#options.troupe.cancel(task.id, cancelReason)
    return cancelled
  }
}
