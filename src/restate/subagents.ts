/** Subagents as workflows of their own: started, told to cancel, waited for, and heard when they wait for people. */
import { serde, type InvocationId, type RestatePromise, type WorkflowContext } from '@restatedev/restate-sdk'
import type { EffectInput, EffectOutcome } from '../actors/effect-kinds.ts'
import type { PriceTable } from '../actors/pricing.ts'
import type { AgentRequest } from '../machines/agent.ts'
import { protocolVersion, type RunStarted } from '../runtime/journal.ts'
import { lookUp, type Registry } from '../runtime/registry.ts'
import { fromRestateError } from './failures.ts'
import { parentPath, serviceOf, workflowKey } from './names.ts'
import type { Race } from './race.ts'
import { sayTo } from './inbox.ts'
import { handlerNames, type RunReport, type RunRequest } from './wire.ts'
import type { WorkflowClock } from './workflow-clock.ts'

type AgentEffect = EffectInput<'agent'>
type Outcome = EffectOutcome<'agent'>

export interface SubagentsOptions {
  readonly context: WorkflowContext
  readonly race: Race
  readonly clock: WorkflowClock
  readonly registry: Registry
  readonly namespace: string
  /** Of the run that they are asked for by. */
  readonly started: RunStarted
  /** What tokens cost, if anybody said so. */
  readonly prices: PriceTable | undefined
}

const json = { inputSerde: serde.json, outputSerde: serde.json }

export class Subagents {
  readonly #options: SubagentsOptions
  /** The invocations of those at work, by their paths. */
  readonly #invocations = new Map<string, RestatePromise<InvocationId>>()

  constructor(options: SubagentsOptions) {
    this.#options = options
  }

  perform(input: AgentEffect): Promise<Outcome> {
    return input.operation === 'run'
      ? this.#run(input.request as object as AgentRequest)
      : Promise.resolve(this.#cancel(input))
  }

  #run(request: AgentRequest): Promise<Outcome> {
    const { context, race, clock, namespace } = this.#options
    const { agent, path, runId } = request
    const outcome = Promise.withResolvers<Outcome>()
    const call = context.genericCall<RunRequest, RunReport>({
      ...json,
      service: serviceOf(namespace, agent),
      method: handlerNames.run,
      key: workflowKey(runId, path),
      parameter: this.#requestOf(request),
    })
    // It is a promise of Restate's, though its type does not say so.
    this.#invocations.set(path, call.invocationId as RestatePromise<InvocationId>)
    race.add(call, (report, failure) => {
      this.#invocations.delete(path)
      clock.advance(report?.at)
      if (report !== undefined) outcome.resolve(report.output as object as Outcome)
      else outcome.reject(failure && fromRestateError(failure, 'AGENT_FAILED'))
    })
    return outcome.promise
  }

  #requestOf(request: AgentRequest): RunRequest {
    const { context, clock, registry, prices, started } = this.#options
    const { agent, path, runId, task } = request
    const { version } = lookUp(registry, agent)
    const { stream, resourceId, conversationId, context: runContext, versionOverrides } = started
    const above = parentPath(path)
    return {
      started: {
        type: 'run.started',
        at: clock.now(),
        protocol: protocolVersion,
        runId,
        agent,
        ...(version === undefined ? {} : { version }),
        ...this.#versions(),
        ...(versionOverrides === undefined ? {} : { versionOverrides }),
        task,
        history: [],
        settings: { hooks: [], ...(prices === undefined ? {} : { budget: { prices } }) },
        stream,
        ...(request.threadId === undefined ? {} : { threadId: request.threadId }),
        ...(resourceId === undefined ? {} : { resourceId }),
        ...(conversationId === undefined ? {} : { conversationId }),
        ...(runContext === undefined ? {} : { context: runContext }),
      },
      part: { request, origin: { path: above, delegationId: above }, parent: context.request().id },
    }
  }

  /** A run has one version of each agent, wherever that is at work. */
  #versions(): Pick<RunStarted, 'versions'> {
    const { agent, version = null, versions } = this.#options.started
    return versions === undefined ? {} : { versions: { ...versions, [agent]: version } }
  }

  #cancel({ path, cause, reason }: Extract<AgentEffect, { operation: 'cancel' }>): null {
    const { context, race, clock } = this.#options
    const invocation = this.#invocations.get(path)
    if (invocation === undefined) return null // it has ended by now
    race.add(invocation, (id) => {
      if (id !== undefined) sayTo(context, id, { at: clock.now(), signal: { type: 'cancel', reason, cause } })
    })
    return null
  }
}
