/** An effect as wrappers see it. */
import type { EffectKind } from '../../../actors/effect-names.ts'
import type { EffectRequest } from '../../../actors/effect.ts'
import type { AssistantMessage } from '../../../actors/message.ts'
import { bare } from '../../../actors/messages/provider-data.ts'
import { AppendLog } from '../../../actors/values/append-log.ts'
import { Derived } from '../../../actors/values/derived.ts'
import { isRecord } from '../../../actors/values/json.ts'
import { Toolset } from '../../../actors/toolset.ts'

/** One performed effect of a run. */
export interface ObservedEffect {
  readonly kind: Exclude<EffectKind, 'signal' | 'timer'>
  /** Of the tool, hook, scorer, model, subagent or effect of an adapter. */
  readonly name?: string
  readonly runId: string
  /** The id of the agent that the effect works for. */
  readonly agent: string
  /** Ids of the actors from the root agent to the one that requests the effect, joined with "/"; as in events. */
  readonly path: string
  /** As in the journal: `path`, the id of the effect, and a count. Stable over replays and processes. */
  readonly key: string
  /** From 1; more where it repeats an effect that failed for now, or that the end of a process interrupted. */
  readonly attempt: number
  /** The delegation that the agent works for. */
  readonly delegationId?: string
  readonly conversationId?: string
  /** The W3C trace context with which the run was started, or resumed here. */
  readonly traceparent?: string
  /** The request, by kind: for example the `model` and `messages` of a model call, the `args` of a tool. */
  readonly input: Readonly<Record<string, unknown>>
}

/**
 * Returns the request as plain data: lists in place of logs, the names of tools in place of toolsets, messages without
 * the data of their provider.
 */
export function plainInput({ input }: Pick<EffectRequest, 'input'>): Readonly<Record<string, unknown>> {
  return plain(input, 2) as Readonly<Record<string, unknown>>
}

function plain(value: unknown, depth: number): unknown {
  if (value instanceof AppendLog) return value.toArray().map(shown)
  if (Array.isArray(value)) return value.map(shown)
  if (value instanceof Toolset) return value.names
  if (depth === 0 || !isRecord(value)) return value
  const parts = Object.entries(value).filter(([, part]) => !(part instanceof Derived))
  return Object.fromEntries(parts.map(([name, part]) => [name, plain(part, depth - 1)]))
}

function shown(item: unknown): unknown {
  return isRecord(item) && item['role'] === 'assistant' ? bare(item as object as AssistantMessage) : item
}
