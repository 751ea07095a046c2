/**
 * The agents of one run that work in this process. An agent goes to work with the first effect that is performed for it
 * here: so a replay, which performs nothing, puts no agent to work. Its work ends with the agent, with a suspension of
 * the run, or when the process lets go of the run.
 */
import { type TraceContext, traceIn } from '../../../actors/strict/trace-context.ts'
import { agentOf, agentPath, isChild, isSuccessor, lastId, parentPath } from '../../../actors/actor-path.ts'
import type { ErrorData } from '../../../errors.ts'
import type { MachineEvent } from '../../../machines/contract/events.ts'
import type { Registry } from '../../definition/registry.ts'
import type { EventLog } from '../../handle/event-log.ts'
import type { RunStarted } from '../../journal/journal.ts'
import { isThenable, settled, type Reporter } from '../../report.ts'
import { askUser, whatever } from '../../user-function.ts'
import type { Around } from './around.ts'
import type { ObservedEffect } from './observed-effect.ts'
import type { AgentEnd, ObservedAgent, Observer } from './observer.ts'
import { traceOf } from './trace-from.ts'

type Tell = (end: AgentEnd) => void

interface Work {
  readonly agent: ObservedAgent
  readonly tells: readonly Tell[]
}

interface Workplace {
  readonly observers: readonly Observer[]
  readonly started: RunStarted
  readonly registry: Registry
  readonly report: Reporter
  /** The path of the agent that this engine runs: the root of the run, or a subagent on an engine of its own. */
  readonly base: () => string
}

export class AgentsAtWork {
  /** The outermost wrapper of the effects of the run. */
  readonly around: Around = (effect, perform) => {
    this.#enter(effect)
    return perform()
  }
  readonly #place: Workplace
  /** By the paths of the agents at work. */
  readonly #work = new Map<string, Work>()
  /** By the paths of delegations that are under way. */
  readonly #tasks = new Map<string, string>()

  /** `undefined` where no observer is told of agents. */
  static of(place: Workplace): AgentsAtWork | undefined {
    return place.observers.some(({ agent }) => agent !== undefined) ? new AgentsAtWork(place) : undefined
  }

  private constructor(place: Workplace) {
    this.#place = place
  }

  /** The trace context for subagents of the agent that an effect works for. `path`: of the effect. */
  traceAt(path: string): TraceContext | undefined {
    const work = this.#work.get(agentPath(path))
    return work && traceOf(this.#place.observers, work.agent, this.#place.report)
  }

  /** Notes the delegations that were under way when this process took over the run. */
  read(log: EventLog): void {
    for (const event of log.toArray()) {
      if (event.type === 'delegation-start') this.#tasks.set(event.path, event.payload.prompt)
      else if (event.type === 'delegation-end') this.#tasks.delete(event.path)
    }
  }

  /** Notes an event of a machine. `path`: of the machine. */
  noted(path: string, event: MachineEvent): void {
    switch (event.type) {
      case 'delegation-start':
        this.#tasks.set(path, event.payload.prompt)
        return
      case 'delegation-end': {
        this.#tasks.delete(path)
        const { outcome, subagentOutcome, text, error } = event.payload
        const end = endOf(outcome, text, error)
        return this.#end(path, subagentOutcome === undefined ? end : { ...end, subagentOutcome })
      }
      case 'handoff':
        return this.#end(path, { outcome: 'handoff' })
      default: // not about the work of an agent
    }
  }

  /** The run, or its part on this engine, has ended. */
  ended(outcome: AgentEnd['outcome'], text?: string, error?: ErrorData): void {
    this.#end('', endOf(outcome, text, error))
  }

  #enter(effect: ObservedEffect): void {
    const base = this.#place.base()
    const depth = base.split('/').length
    // The path of a subagent that runs elsewhere is its own: here its supervisor is at work.
    const path = effect.kind === 'agent' ? parentPath(effect.path) : effect.path
    const ids = path.split('/')
    for (let length = depth; length <= ids.length; length++) {
      const agent = agentOf(ids[length - 1] ?? '')
      const own = ids.slice(0, length).join('/')
      if (agent !== undefined && !this.#work.has(own)) this.#begin(own, agent, effect)
    }
  }

  #begin(path: string, agent: string, effect: ObservedEffect): void {
    const { runId, conversationId } = effect
    const definition = this.#place.registry.get(agent)
    const description = definition?.description
    const version = definition?.version
    const delegationId = delegationOf(path)
    const task = this.#taskOf(path, delegationId)
    const observed: ObservedAgent = Object.freeze({
      runId,
      agent,
      ...(description === undefined ? {} : { description }),
      ...(version === undefined ? {} : { version }),
      ...(definition?.remote === undefined ? {} : { isRemote: true as const }),
      path,
      ...(delegationId === undefined ? {} : { delegationId }),
      ...(conversationId === undefined ? {} : { conversationId }),
      ...traceIn(effect),
      ...(task === undefined ? {} : { task }),
    })
    const tells = this.#place.observers.flatMap((observer) => this.#tellsOf(observer, observed))
    this.#work.set(path, { agent: observed, tells })
  }

  /** A function that an observer promises is told once it is there, also of an end that came before. */
  #tellsOf(observer: Observer, agent: ObservedAgent): readonly Tell[] {
    const given: unknown = this.#guarded(agent, () => observer.agent?.(agent))
    if (!isThenable(given)) return this.#tellOf(given, agent)
    const promised = askUser('agent of an observer', () => given, whatever).then(
      (answer) => this.#tellOf(answer, agent),
      (error: unknown) => {
        this.#failed(agent, error)
        return []
      },
    )
    const tell = async (end: AgentEnd): Promise<void> => {
      for (const told of await promised) told(end)
    }
    return [(end) => void tell(end)]
  }

  #tellOf(given: unknown, agent: ObservedAgent): readonly Tell[] {
    if (typeof given !== 'function') return []
    const failed = (error: unknown): void => this.#failed(agent, error)
    return [(end) => this.#guarded(agent, () => settled((given as (end: AgentEnd) => unknown)(end), failed))]
  }

  #taskOf(path: string, delegationId: string | undefined): string | undefined {
    const { started, base } = this.#place
    if (isSuccessor(path)) return undefined
    if (path === base()) return started.task
    return delegationId === undefined ? undefined : this.#tasks.get(delegationId)
  }

  /** `top`: the agent, or the delegation, at and below which work ends; those deepest in the run first. */
  #end(top: string, end: AgentEnd): void {
    const ended = [...this.#work]
      .filter(([path]) => top === '' || path === top || path.startsWith(`${top}/`))
      .toReversed()
    for (const [path, { tells }] of ended) {
      this.#work.delete(path)
      for (const tell of tells) tell(end)
    }
  }

  #guarded<Value>(agent: ObservedAgent, act: () => Value): Value | undefined {
    try {
      return act()
    } catch (error) {
      this.#failed(agent, error)
      return undefined
    }
  }

  #failed({ runId, agent, path }: ObservedAgent, error: unknown): void {
    const message = `an observer of agents threw, in the run "${runId}" at "${path}"`
    this.#place.report({
      message,
      code: 'AGENT_OBSERVER_THREW',
      where: 'observer',
      error,
      runId,
      agent,
      path,
    })
  }
}

/** The delegation that is the parent of an agent. */
function delegationOf(path: string): string | undefined {
  const parent = parentPath(path)
  return isChild(lastId(parent), 'delegation') ? parent : undefined
}

function endOf(outcome: AgentEnd['outcome'], text?: string, error?: ErrorData): AgentEnd {
  return {
    outcome,
    ...(text === undefined ? {} : { text }),
    ...(error === undefined ? {} : { error }),
  }
}
