/**
 * The program of a run: the agents that it can reach, as its journal has them, beside those of today. Recorded outcomes
 * stand whatever has been edited; the program tells which edits explain a difference.
 */
import { TroupeError } from '../../errors.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { Registry } from '../definition/registry.ts'
import { contentOf, sizeOf } from './content.ts'
import type { ContentDigests, Drift, Edit, OnDrift, RecordedAgents } from './recorded.ts'
import { structureOf } from './structure.ts'

const nothing: Readonly<Record<string, never>> = Object.freeze({})

/** By root: what its runs record, while the agents that they reach stay the same. */
const known = new WeakMap<
  AgentDefinition,
  { readonly agents: ReachedAgents; readonly recorded: RecordedAgents }
>()

type ReachedAgents = ReadonlyMap<string, AgentDefinition>

/** The agents that a run of this root can reach, for its first entry. */
export function recordedAgents(registry: Registry, rootId: string): RecordedAgents {
  const agents = reachedFrom(registry, rootId)
  const root = agents.get(rootId)
  const last = root && known.get(root)
  if (last !== undefined && isSame(last.agents, agents)) return last.recorded
  const recorded = Object.fromEntries(
    Array.from(agents, ([id, agent]) => [
      id,
      { structure: structureOf(agent), content: contentOf(agent), ...modelOf(agent), size: sizeOf(agent) },
    ]),
  )
  if (root !== undefined) known.set(root, { agents, recorded })
  return recorded
}

function modelOf({ dynamic, model }: AgentDefinition): { readonly model?: string } {
  return dynamic.includes('model') ? {} : { model: `${model.provider}/${model.modelId}` }
}

function isSame(one: ReachedAgents, other: ReachedAgents): boolean {
  if (one.size !== other.size) return false
  for (const [id, agent] of one) if (other.get(id) !== agent) return false
  return true
}

/** A function of the run may come to any agent of the troupe. */
function reachedFrom(registry: Registry, rootId: string): ReachedAgents {
  const reached = new Map<string, AgentDefinition>()
  const visit = (id: string): void => {
    const agent = registry.get(id)
    if (agent === undefined || reached.has(id)) return
    reached.set(id, agent)
    for (const child of Object.values(agent.agents)) visit(child.id)
    for (const successor of Object.values(agent.handoffs?.agents() ?? {})) visit(successor.id)
    if (agent.dynamic.includes('agents') || agent.dynamic.includes('handoffs')) {
      for (const other of registry.keys()) visit(other)
    }
  }
  visit(rootId)
  return reached
}

interface DriftedRun {
  readonly runId: string
  readonly registry: Registry
  readonly program: Program
}

/** Throws a `TroupeError` (`PROGRAM_CHANGED`) where the troupe, or an edited agent, refuses to go on. */
export function assertMayGoOn(run: DriftedRun, onDrift: OnDrift): void {
  assertMayDrift(run, run.program.drift?.edits ?? [], onDrift)
}

/** As `assertMayGoOn`, for these edits. */
export function assertMayDrift(
  { runId, registry }: Pick<DriftedRun, 'runId' | 'registry'>,
  edits: readonly Edit[],
  onDrift: OnDrift = 'continue',
): void {
  const refused = edits.filter(
    ({ agent }) => onDrift === 'refuse' || registry.get(agent)?.onDrift === 'refuse',
  )
  if (refused.length === 0) return
  throw new TroupeError(
    'PROGRAM_CHANGED',
    `The run "${runId}" cannot go on here: ${namesOf(refused)} was edited since it began, and onDrift is 'refuse'. Go on with the version that it began with, set onDrift: 'continue', or end it: troupe.cancel(runId, reason, { force: true }).`,
    { runId },
  )
}

/** The most edits that an error names. */
const mostNamed = 5

/** Such as `instructions of "desk", model of "clerk"`. */
export function namesOf(edits: readonly Edit[]): string {
  const named = edits.slice(0, mostNamed).map(({ agent, part }) => `${part} of "${agent}"`)
  const more = edits.length > mostNamed ? ` and ${edits.length - mostNamed} more` : ''
  return `${named.join(', ')}${more}`
}

/** What the first entry of a run says of its agents. */
interface Recorded {
  readonly agent: string
  readonly agents?: RecordedAgents
  readonly version?: string
  readonly versions?: Readonly<Record<string, string | null>>
}

export class Program {
  /** The content as entries after that have it, by agent. */
  #edited: Readonly<Record<string, ContentDigests>> = nothing
  /** By agent, the digest of the parts that functions of the run made otherwise than the journal says. */
  #made: Readonly<Record<string, string>> = nothing
  readonly #registry: Registry
  readonly #started: Recorded
  #drift: Drift | undefined | 'unknown' = 'unknown'

  /** `started.agents` absent: nothing is known, and nothing differs. */
  constructor(registry: Registry, started: Recorded) {
    this.#registry = registry
    this.#started = started
  }

  /** The version of an agent that the run began with, also where the agent has a first version by now. */
  versionOf(id: string): string | undefined {
    const { agent, agents, version, versions = {} } = this.#started
    const today = this.#registry.get(id)?.version
    if (agents?.[id] === undefined) return today
    if (id === agent) return version
    return Object.hasOwn(versions, id) ? (versions[id] ?? undefined) : undefined
  }

  /** An entry tells of edits. */
  drifted({ agents, made = {} }: Drift): void {
    this.#edited = { ...this.#edited, ...agents }
    this.#made = { ...this.#made, ...made }
    this.#drift = 'unknown'
  }

  /** Whether the journal tells of these parts, which functions of the run have made otherwise than before. */
  hasTold(agent: string, digest: string): boolean {
    return this.#made[agent] === digest
  }

  /** The edits since the record was made; `undefined`: none. */
  get drift(): Drift | undefined {
    if (this.#drift === 'unknown') this.#drift = this.#found()
    return this.#drift
  }

  #found(): Drift | undefined {
    const edits: Edit[] = []
    const agents: Record<string, ContentDigests> = {}
    for (const [id, { content }] of Object.entries(this.#started.agents ?? nothing)) {
      const before = this.#edited[id] ?? content
      const definition = this.#registry.get(id)
      const now = definition === undefined ? {} : contentOf(definition)
      if (before === now) continue
      const parts = [...new Set([...Object.keys(before), ...Object.keys(now)])]
      const edited = parts.filter((part) => before[part] !== now[part])
      if (edited.length === 0) continue
      edits.push(...edited.map((part) => ({ agent: id, part })))
      agents[id] = now
    }
    return edits.length === 0 ? undefined : { edits, agents }
  }
}
