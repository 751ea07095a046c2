/** Subagents as workflows of their own: started, told to cancel, waited for, and heard when they wait for people. */
import { serde, type WorkflowContext } from '@restatedev/restate-sdk'
import type { EffectInput, EffectOutcome } from '../actors/effect-kinds.ts'
import type { PriceTable } from '../actors/pricing.ts'
import type { AgentRequest } from '../machines/agent.ts'
import { protocolVersion, type RunStarted, type Signal } from '../runtime/journal.ts'
import { lookUp, type Registry } from '../runtime/registry.ts'
import { encodedJson } from './bounded-serdes.ts'
import { fromRestateError } from './failures.ts'
import { parentPath, serviceOf, workflowKey } from './names.ts'
import type { Race } from './race.ts'
import { largest, requestTooLarge } from './sizes.ts'
import { handlerNames, names, type HeldNotice, type RunReport, type RunRequest, type Tell } from './wire.ts'
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
  readonly tell: (signal: Signal) => void
}

export class Subagents {
  readonly #options: SubagentsOptions

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
    const parameter = serde.json.serialize(this.#requestOf(request))
    if (parameter.length > largest.request) {
      outcome.reject(requestTooLarge('What the subagent begins with', parameter.length))
      return outcome.promise
    }
    const call = context.genericCall<Uint8Array, RunReport>({
      inputSerde: encodedJson,
      outputSerde: serde.json,
      service: serviceOf(namespace, agent),
      method: handlerNames.run,
      key: workflowKey(runId, path),
      parameter,
    })
    const hearing = { stop: (): void => undefined }
    this.#hear(path, 1, hearing)
    race.add(call, (report, failure) => {
      hearing.stop()
      clock.advance(report?.at)
      if (report?.output !== undefined) outcome.resolve(report.output as object as Outcome)
      else outcome.reject(report?.excess ?? (failure && fromRestateError(failure, 'AGENT_FAILED')))
    })
    return outcome.promise
  }

  /** What it tells of itself is counted, so that it is heard in order and once. */
  #hear(path: string, count: number, hearing: { stop: () => void }): void {
    const { context, race, clock, tell } = this.#options
    hearing.stop = race.add(context.signal<HeldNotice>(names.held(path, count)), (notice) => {
      this.#hear(path, count + 1, hearing)
      if (notice === undefined) return
      clock.advance(notice.at)
      tell(notice.signal)
    })
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

  #cancel({ agent, path, cause, reason }: Extract<AgentEffect, { operation: 'cancel' }>): null {
    const { context, clock, namespace, started } = this.#options
    const signal = { type: 'cancel', ...(reason === undefined ? {} : { reason }) } as const
    context.genericSend<Tell>({
      inputSerde: serde.json,
      service: serviceOf(namespace, agent),
      method: handlerNames.tell,
      key: workflowKey(started.runId, path),
      parameter: { at: clock.now(), signal, cause },
    })
    return null
  }
}
