/** What an effect was asked to do, in a few characters; the cost does not grow with the history. */
import { AppendLog } from '../actors/append-log.ts'
import { digestText } from '../actors/digest.ts'
import type { EffectRequest } from '../actors/effect.ts'
import { isRecord } from '../actors/json.ts'
import { Toolset } from '../actors/toolset.ts'

export function digestOf({ kind, input }: EffectRequest): string {
  return digestText(kind + JSON.stringify(project(input, 2)))
}

/** Lists and toolsets stand for themselves by their own digests. */
function project(value: unknown, depth: number): unknown {
  if (value instanceof AppendLog || value instanceof Toolset) return value.digest
  if (depth === 0 || !isRecord(value)) return value
  const projected: Record<string, unknown> = {}
  for (const key in value) projected[key] = project(value[key], depth - 1)
  return projected
}
