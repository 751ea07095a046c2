/**
 * A static bound of the model calls of a run: for each agent its steps, times the attempts of a step, plus the calls of
 * the agents to which it may delegate. Final turns are left out, as `budget.modelCalls` leaves them out.
 */
import { maxSummaries } from '../../machines/compaction/setup.ts'
import { ConfigurationError } from '../../errors.ts'
import { asDefinition, type AnyAgent } from '../../runtime/definition/definition.ts'
import { mostModels } from '../../runtime/definition/parts.ts'
import type { CallOptions } from '../../runtime/options/options.ts'
import { isDynamic, treeOf, type AgentTree, type Line, type Place } from './tree.ts'

/** The most model calls that a run may make, with the way to this number. */
export interface ModelCallBound {
  /**
   * The most model calls of one run, retries and repairs included, final turns not (one for each agent at work).
   * `undefined`: the options do not bound them. Calls that hooks, tools, scorers and workflows make themselves are not
   * counted.
   */
  readonly calls: number | undefined
  /** The sum for the root, as text. */
  readonly formula: string
  /** Why there is no bound, a sentence each; empty where there is one. */
  readonly unbounded: readonly string[]
  /** For each agent at its place, the root first: its own bound, everything below it included. */
  readonly parts: readonly ModelCallPart[]
}

/** The part of one agent in a bound of model calls. */
export interface ModelCallPart {
  readonly path: string
  readonly calls: number | undefined
  readonly formula: string
}

/**
 * Bounds the model calls of one run of `agent`, from its definition alone; `run` are the options that the run is given.
 * Throws a `ConfigurationError` where such a run is refused.
 */
export function modelCallBound<Options extends object, Object, Args extends readonly unknown[]>(
  agent: AnyAgent<Options, Object, Args>,
  run?: Options & CallOptions,
): ModelCallBound
export function modelCallBound(agent: AnyAgent, run: object = {}): ModelCallBound {
  return boundOf(treeOf(asDefinition(agent), run))
}

export function boundOf(tree: AgentTree): ModelCallBound {
  const counter = new Counter()
  const { calls, formula } = counter.line(tree.line)
  const cap = tree.root.settings.budget?.modelCalls
  const parts = tree.places.map((place) => ({ path: place.path, ...counter.place(place) }))
  if (cap !== undefined && (calls === undefined || cap < calls)) {
    return { calls: cap, formula: `budget.modelCalls = ${cap}`, unbounded: [], parts }
  }
  const unbounded = calls === undefined ? tree.places.flatMap(reasons) : []
  return { calls, formula, unbounded, parts }
}

/** Why the calls below a place have no bound. */
function reasons({ path, profile, ...place }: Place): string[] {
  return [
    ...(profile.hooks.onDelegationStart === undefined || place.subagents.size === 0
      ? []
      : [`${path}: onDelegationStart may raise the maxSteps of a subagent.`]),
    ...(place.definition.dynamic.includes('agents')
      ? [`${path}: a function of the run makes its agents, which the definition does not show.`]
      : []),
  ]
}

interface Bound {
  readonly calls: number | undefined
  readonly formula: string
}

class Counter {
  readonly #known = new Map<Place, Bound>()
  readonly #lines = new Map<Line, Bound>()

  /** The first agent of a line, and as many successors as handoffs are allowed. */
  line(line: Line): Bound {
    const known = this.#lines.get(line)
    if (known !== undefined) return known
    const { members, maxHandoffs } = line
    const bounds = members.map((member) => this.place(member))
    const [first] = bounds
    if (first === undefined) throw new ConfigurationError('A line of handoffs has at least one agent.')
    const most = largest(bounds)
    const bound: Bound =
      members.length === 1
        ? first
        : {
            calls: times(maxHandoffs + 1, most.calls),
            formula: `(1 + ${maxHandoffs} handoffs) × ${shown(most)}`,
          }
    this.#lines.set(line, bound)
    return bound
  }

  place(place: Place): Bound {
    const known = this.#known.get(place)
    if (known !== undefined) return known
    const bound = this.#count(place)
    this.#known.set(place, bound)
    return bound
  }

  #count(place: Place): Bound {
    const { own, formula } = withCompactions(ownCalls(place), place)
    const delegations = delegationsOf(place)
    const below = this.#below(place)
    if (below === undefined || delegations.most === 0) return { calls: own, formula }
    return {
      calls: sum(own, times(delegations.most, below.calls)),
      formula: `${formula} + ${delegations.formula} × ${shown(below)}`,
    }
  }

  /** The subagent with the most calls; `undefined`: there is none. */
  #below(place: Place): Bound | undefined {
    const children = [...place.subagents.values()].map((line) => this.line(line))
    if (isDynamic(place, 'agents')) return { calls: undefined, formula: 'agents of the run' }
    if (children.length === 0) return undefined
    const most = largest(children)
    return place.profile.hooks.onDelegationStart === undefined ? most : { ...most, calls: undefined }
  }
}

interface OwnCalls {
  readonly own: number
  readonly formula: string
  readonly decisions: number
}

/** An invalid answer is sent back once. */
const answersOfDecision = 2

/** The calls of the agent's own model. A decision is repaired once; each of its attempts has its retries. */
function ownCalls({ definition: { pattern, dynamic }, profile, maxSteps }: Place): OwnCalls {
  const { maxReplans, maxPlanSteps, maxRounds } = profile.caps
  const attempts = 1 + profile.retries
  const falls = fallsOf(profile, dynamic)
  const replies = 1 + repairsOf(profile) + refusalsOf(profile) + falls
  const step = product('replies', replies, attempts)
  const steps = { decisions: 0, own: maxSteps * step.own, formula: `${maxSteps} steps × ${step.formula}` }
  const decision = product('answers', answersOfDecision + falls, attempts)
  const decisions = (count: number, name: string): OwnCalls => ({
    decisions: count,
    own: count * decision.own,
    formula: `${count} ${name} × ${decision.formula}`,
  })
  switch (pattern) {
    case 'remote':
    case 'custom':
    case 'program':
      return { decisions: 0, own: 0, formula: 'no model' }
    case 'react':
    case 'supervisor':
      return steps
    case 'reflexion':
      return both(steps, decisions(maxSteps, 'critiques'))
    case 'router': {
      const writes = profile.responseFormat !== undefined || profile.hooks.processOutput !== undefined
      return writes ? both(decisions(maxSteps, 'decisions'), steps) : decisions(maxSteps, 'decisions')
    }
    case 'dispatch':
      return decisions(1, 'decision')
    case 'meta-router':
      return decisions(2, 'decisions')
    case 'plan-then-execute': {
      const plans = 1 + maxReplans
      const perStep = profile.reviewSteps ? 2 : 1
      return both(
        both(decisions(plans, 'plans'), decisions(plans * maxPlanSteps * perStep, 'decisions of steps')),
        steps,
      )
    }
    case 'fan-out':
      return both(decisions(maxRounds, 'decisions of rounds'), steps)
    case 'debate':
      return steps
  }
}

/**
 * Each step may begin with a compaction, and have another one where the server refuses its request; so may the final turn,
 * and each of the two answers of a decision.
 */
function withCompactions(calls: OwnCalls, { definition: { dynamic }, profile, maxSteps }: Place): OwnCalls {
  const { compaction, retries } = profile
  if (compaction === undefined || compaction.by === 'function') return calls
  const requests = maxSteps + 1 + answersOfDecision * calls.decisions
  const [count, attempts] = [2 * requests, 1 + retries]
  const summaries = maxSummaries + (compaction.by === 'own' ? fallsOf(profile, dynamic) : 0)
  return both(calls, {
    decisions: 0,
    own: count * summaries * attempts,
    formula: `${count} compactions × ${summaries} summaries × ${attempts} attempts`,
  })
}

function product(name: string, replies: number, attempts: number): OwnCalls {
  const own = replies * attempts
  return {
    decisions: 0,
    own,
    formula: replies === 1 ? `${attempts} attempts` : `${replies} ${name} × ${attempts} attempts`,
  }
}

function both(one: OwnCalls, other: OwnCalls): OwnCalls {
  return {
    decisions: one.decisions + other.decisions,
    own: one.own + other.own,
    formula: `${one.formula} + ${other.formula}`,
  }
}

/** An answer of the wrong shape is sent back once. */
function repairsOf({ responseFormat }: Place['profile']): number {
  return responseFormat === undefined ? 0 : 1
}

/** A model that has failed for good gives way to the next one of the row, at most once a step for each. */
function fallsOf({ fallbacks }: Place['profile'], dynamic: readonly string[]): number {
  if (fallbacks === undefined) return 0
  return dynamic.includes('model') ? mostModels - 1 : fallbacks.models.length
}

function refusalsOf({ processors, maxProcessorRetries }: Place['profile']): number {
  return processors.output.length + processors.stream.length === 0 ? 0 : maxProcessorRetries
}

interface Delegations {
  readonly most: number
  readonly formula: string
}

/** How many delegations one run of the agent may make. */
function delegationsOf({ definition: { pattern }, profile, maxSteps, subagents }: Place): Delegations {
  const { caps, maxToolCallsPerStep } = profile
  switch (pattern) {
    case 'supervisor': {
      const perStep = maxToolCallsPerStep ?? Number.POSITIVE_INFINITY
      return { most: maxSteps * perStep, formula: `${maxSteps} steps × ${perStep} calls` }
    }
    case 'router':
      return { most: maxSteps, formula: `${maxSteps} iterations` }
    case 'dispatch':
    case 'meta-router':
      return { most: 1, formula: '1 delegation' }
    case 'plan-then-execute': {
      const plans = 1 + caps.maxReplans
      return { most: plans * caps.maxPlanSteps, formula: `${plans} plans × ${caps.maxPlanSteps} steps` }
    }
    case 'fan-out':
      return {
        most: caps.maxRounds * caps.maxGoals,
        formula: `${caps.maxRounds} rounds × ${caps.maxGoals} goals`,
      }
    case 'debate': {
      const rounds = 1 + caps.rounds
      return { most: rounds * subagents.size, formula: `${rounds} rounds × ${subagents.size} agents` }
    }
    case 'react':
    case 'reflexion':
    case 'remote':
    case 'custom':
    case 'program':
      return { most: 0, formula: '' }
  }
}

function largest(bounds: readonly Bound[]): Bound {
  return bounds.reduce((most, bound) => (size(bound) > size(most) ? bound : most))
}

function size({ calls }: Bound): number {
  return calls ?? Number.POSITIVE_INFINITY
}

function times(count: number, calls: number | undefined): number | undefined {
  return calls === undefined ? undefined : count * calls
}

function sum(one: number, other: number | undefined): number | undefined {
  return other === undefined ? undefined : one + other
}

function shown({ calls, formula }: Bound): string {
  return calls === undefined ? `(no bound: ${formula})` : `(${formula})`
}
