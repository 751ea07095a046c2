/**
 * The one grammar of actor ids, paths and effect keys. The id of an agent is its name, with `~` and the number of
 * handoffs where it is a successor. The id of any other actor is `kind:place`. A path joins ids with `/`, from the root
 * agent on. The key of an effect is the path of the actor that requests it, the id of the effect, `#` and a count.
 */
import type { AnyActorRef } from 'xstate'

/** The place of an actor in its run. */
export interface Source {
  readonly ref: AnyActorRef
  /** Ids of the actors from the root agent to this one, joined with "/". */
  readonly path: string
  /** The nearest agent's id. */
  readonly agent: string
  readonly delegationId: string | undefined
}

/** The kinds of children that are no agents. No actor runs for a `handoff` or a `plan`: these are ids alone. */
export type ChildKind =
  | 'call'
  | 'delegation'
  | 'handoff'
  | 'plan'
  | 'completion'
  | 'scorer'
  | 'decision'
  | 'compaction'
  | 'screening'
  | 'chart'

/** `place`: unique among the children of this kind, for example step and position. */
export function childId(kind: ChildKind, place: string | number): string {
  return `${kind}:${place}`
}

/** Whether the id is that of a child of this kind. */
export function isChild(id: string, kind: ChildKind): boolean {
  return id.startsWith(kind) && id[kind.length] === ':'
}

/** Whether a question is about a plan, by its id: all others are about calls and delegations. */
export function asksAboutPlan(id: string): boolean {
  return isChild(lastId(id), 'plan')
}

/** The place in a child's id. */
export function placeOf(id: string): string {
  return id.slice(id.indexOf(':') + 1)
}

/** The position of a call in its step, from 1, by the id of its child: its place is `step.position`. */
export function positionIn(id: string): number {
  return Number(id.slice(id.lastIndexOf('.') + 1))
}

/** The id of the agent that goes on with a conversation after this number of handoffs. */
export function successorId(agent: string, handoffs: number): string {
  return `${agent}~${handoffs}`
}

/** The agent of an actor's id; `undefined` for an actor that is no agent. */
export function agentOf(id: string): string | undefined {
  return id.includes(':') ? undefined : (id.split('~', 1)[0] ?? id)
}

/** The child of an agent whose work is the chart of an adapter. Actors below it have any ids, and none is an agent. */
export const chartChild = childId('chart', 1)

/** Whether the path is that of such a chart, or of an actor below it. */
export function isInChart(path: string): boolean {
  return path.includes(inChart)
}

const inChart = `/${chartChild}`

/** The path of an actor below the actor at `path`. */
export function below(path: string, id: string): string {
  return `${path}/${id}`
}

/** The path of the parent; empty for the root agent. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The id at the end of a path. */
export function lastId(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The path of another child of the same parent. */
export function sibling(path: string, id: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1) + id
}

/** Whether an agent goes on with the conversation of another. */
export function isSuccessor(path: string): boolean {
  return lastId(path).includes('~')
}

/** Whether the agents at two paths are of one chain of handoffs, or the same. */
export function isInChain(path: string, first: string): boolean {
  return parentPath(path) === parentPath(first)
}

/** The path up to the nearest agent: tool calls, delegations and scorings below it are left out. */
export function agentPath(path: string): string {
  const all = path.split('/')
  const chart = all.indexOf(chartChild)
  const ids = chart < 0 ? all : all.slice(0, chart)
  return ids.slice(0, ids.findLastIndex((id) => agentOf(id) !== undefined) + 1).join('/')
}

/** The nearest agent of an actor, by the path of the actor. */
export function agentAt(path: string): string {
  return agentOf(lastId(agentPath(path))) ?? ''
}

/** `effect`: the path of the effect among the actors. `count`: how often this actor has requested it, from 1. */
export function effectKey(effect: string, count: number): string {
  return `${effect}#${count}`
}

/** The path of an effect, by its key. */
export function effectOf(key: string): string {
  return key.slice(0, key.lastIndexOf('#'))
}

/** The path of the actor that requested an effect, by the key of the effect. */
export function requesterOf(key: string): string {
  return parentPath(key)
}
