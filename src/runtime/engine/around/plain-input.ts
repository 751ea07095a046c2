/** The request of an effect as plain data, for wrappers. */
import type { EffectRequest } from '../../../actors/effect.ts'
import type { AssistantMessage } from '../../../actors/message.ts'
import { bare } from '../../../actors/messages/provider-data.ts'
import { AppendLog } from '../../../actors/values/append-log.ts'
import { Derived } from '../../../actors/values/derived.ts'
import { isRecord } from '../../../actors/values/json.ts'
import { Toolset } from '../../../actors/toolset.ts'

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
