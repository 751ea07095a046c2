/** Who spent what: the model and tool calls of each agent, and of each delegation with all below it. */
import type { Usage } from '../../index.ts'
import { addUsage, agentOf, isChild, lastId, noUsage } from '../../kit/index.ts'
import { agentAt, type Mutable } from './places.ts'
import type { Summary, SummaryAgent, SummaryDelegation } from './summary.ts'
import { nameOf } from './texts.ts'

interface Spent {
  readonly usage: Usage
  readonly calls: number
  readonly toolCalls: number
  /** Milliseconds. */
  readonly time: number
}

const nothing: Spent = { usage: noUsage, calls: 0, toolCalls: 0, time: 0 }

export class Spending {
  readonly #agents = new Map<string, Spent>()
  /** The models that agents have called, where the journal names them. */
  readonly #called = new Map<string, Set<string>>()
  readonly #delegations = new Map<string, Mutable<SummaryDelegation>>()

  /** `path`: of the actor that asked for the effect. */
  add(entry: number, path: string, spent: Spent): void {
    const agent = agentAt(path)
    this.#agents.set(agent, sum(this.#agents.get(agent) ?? nothing, spent))
    // The number of delegations around an actor is limited by the depth of the tree.
    for (let place = path; place !== ''; place = place.slice(0, Math.max(0, place.lastIndexOf('/')))) {
      if (!isChild(lastId(place), 'delegation')) continue
      const around = this.#delegations.get(place) ?? this.#unannounced(entry, place, path)
      around.calls += spent.calls
      around.usage = addUsage(around.usage, spent.usage)
    }
  }

  /** The journal names the model of a call of an agent that has several. */
  called(path: string, model: string): void {
    const agent = agentAt(path)
    this.#called.set(agent, (this.#called.get(agent) ?? new Set<string>()).add(model))
  }

  get delegations(): readonly SummaryDelegation[] {
    return [...this.#delegations.values()]
  }

  /** The delegation at a path, which begins with this entry where it is not known. */
  delegation(entry: number, path: string): Mutable<SummaryDelegation> {
    const known = this.#delegations.get(path)
    if (known !== undefined) return known
    const begun = { entry, path, from: '', to: '', prompt: '', calls: 0, usage: noUsage }
    this.#delegations.set(path, begun)
    return begun
  }

  /** Without events the path alone tells of a delegation, once its subagent has called a model or a tool. */
  #unannounced(entry: number, place: string, path: string): Mutable<SummaryDelegation> {
    const delegation = this.delegation(entry, place)
    const [child = ''] = path.slice(place.length + 1).split('/')
    delegation.from = agentAt(place)
    delegation.to = agentOf(child) ?? ''
    return delegation
  }

  /** `models`: by the ids of agents. */
  table(models: ReadonlyMap<string, string>): Pick<Summary, 'agents' | 'total'> {
    const total = [...this.#agents.values()].reduce(sum, nothing)
    const agents = Array.from(this.#agents, ([agent, spent]): SummaryAgent => {
      const called = this.#called.get(agent)
      const model = called === undefined ? models.get(agent) : [...called].join(', ')
      return {
        agent,
        ...(model === undefined ? {} : { model: nameOf(model) }),
        ...spent,
        share: shareOf(spent.usage, total.usage),
      }
    })
    return { agents: agents.toSorted((a, b) => b.share - a.share), total }
  }
}

function sum(a: Spent, b: Spent): Spent {
  return {
    usage: addUsage(a.usage, b.usage),
    calls: a.calls + b.calls,
    toolCalls: a.toolCalls + b.toolCalls,
    time: a.time + b.time,
  }
}

/** Of the cost; of the tokens where nothing has a cost. */
function shareOf(part: Usage, whole: Usage): number {
  const hasCost = (whole.cost ?? 0) > 0
  const all = hasCost ? (whole.cost ?? 0) : whole.totalTokens
  return all === 0 ? 0 : (hasCost ? (part.cost ?? 0) : part.totalTokens) / all
}
