/** Runs subagents as workflows of their own: it starts them, cancels them, and waits for their reports. */
import { serde, type InvocationId, type RestatePromise, type WorkflowContext } from '@restatedev/restate-sdk'
import type { EffectInput, EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { TraceContext } from '../../actors/strict/trace-context.ts'
import type { AgentRequest } from '../../machines/contract/agent.ts'
import type { Signal } from '../../runtime/journal/journal.ts'
import { encodedJson } from '../wire/bounded-serdes.ts'
import { fromRestateError } from '../wire/terminal-errors.ts'
import { serviceOf, workflowKey } from '../wire/addresses.ts'
import { partRequest, type Asker } from '../wire/part-request.ts'
import type { Race } from './race.ts'
import { sayTo } from './workflow-inbox.ts'
import { largest, requestTooLarge } from '../wire/payload-limits.ts'
import { handlerNames, type LastTurn, type RunReport, type RunRequest } from '../wire/wire.ts'
import type { WorkflowClock } from './workflow-clock.ts'

type AgentEffect = EffectInput<'agent'>
type Outcome = EffectOutcome<'agent'>

export interface SubagentsOptions {
  readonly context: WorkflowContext
  readonly race: Race
  readonly clock: WorkflowClock
  readonly namespace: string
  readonly asker: Asker
  /** The trace context of the run by now. */
  readonly trace: () => TraceContext | undefined
  /** The trace context of the agent that requests a subagent, where it has one of its own. */
  readonly ownTrace: () => TraceContext | undefined
  /** Takes the last turn of a part that has ended. */
  readonly keepLast: (path: string, last: LastTurn) => void
  /** The logical time at which the last turns must have ended, once the time of the run is up. */
  readonly lastTurnsEnd: () => number | undefined
}

export class Subagents {
  readonly #options: SubagentsOptions
  /** The invocations of subagents in progress, by their paths. */
  readonly #invocations = new Map<string, RestatePromise<InvocationId>>()

  constructor(options: SubagentsOptions) {
    this.#options = options
  }

  perform(input: AgentEffect): Promise<Outcome> {
    if (input.operation === 'run') return this.#run(input.request as object as AgentRequest)
    this.#say(input.path, input.operation === 'cancel' ? cancelOf(input) : this.#spentOf(input))
    return Promise.resolve(null)
  }

  #run(request: AgentRequest): Promise<Outcome> {
    const { context, race, clock, namespace, asker, trace, ownTrace, keepLast } = this.#options
    const { agent, path, runId } = request
    const outcome = Promise.withResolvers<Outcome>()
    const begin: RunRequest = {
      ...partRequest(asker, request, { now: clock.now(), trace: trace() }),
      parent: context.request().id,
      ...ownTrace(),
    }
    const parameter = serde.json.serialize(begin)
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
    // It is a promise of Restate, although its type does not declare it.
    this.#invocations.set(path, call.invocationId as RestatePromise<InvocationId>)
    race.add(call, (report, failure) => {
      this.#invocations.delete(path)
      clock.advance(report?.at)
      if (report?.last !== undefined) keepLast(path, report.last)
      if (report?.output !== undefined) outcome.resolve(report.output as object as Outcome)
      else outcome.reject(report?.excess ?? (failure && fromRestateError(failure, 'AGENT_FAILED')))
    })
    return outcome.promise
  }

  #spentOf({ error }: Extract<AgentEffect, { operation: 'expire' }>): Signal {
    const { clock, lastTurnsEnd } = this.#options
    return { type: 'spent', error, until: lastTurnsEnd() ?? clock.now() }
  }

  #say(path: string, signal: Signal): void {
    const { context, race, clock } = this.#options
    const invocation = this.#invocations.get(path)
    if (invocation === undefined) return // it has ended by now
    race.add(invocation, (id) => {
      if (id !== undefined) sayTo(context, id, { at: clock.now(), signal })
    })
  }
}

function cancelOf({ cause, reason }: Extract<AgentEffect, { operation: 'cancel' }>): Signal {
  return { type: 'cancel', reason, cause }
}
