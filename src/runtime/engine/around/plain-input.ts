/** The request of an effect as plain data, for wrappers. */
import type { EffectRequest } from '../../../actors/effect.ts'
import { AppendLog } from '../../../actors/values/append-log.ts'
import { Derived } from '../../../actors/values/derived.ts'
import { isRecord } from '../../../actors/values/json.ts'
import { Toolset } from '../../../actors/toolset.ts'

/** Returns the request as plain data: lists in place of logs, the names of tools in place of toolsets. */
export function plainInput({ input }: Pick<EffectRequest, 'input'>): Readonly<Record<string, unknown>> {
  return plain(input, 2) as Readonly<Record<string, unknown>>
}

function plain(value: unknown, depth: number): unknown {
  if (value instanceof AppendLog) return value.toArray()
  if (value instanceof Toolset) return value.names
  if (depth === 0 || !isRecord(value)) return value
  const parts = Object.entries(value).filter(([, part]) => !(part instanceof Derived))
  return Object.fromEntries(parts.map(([name, part]) => [name, plain(part, depth - 1)]))
}
