/** A short digest of the request of an effect; its cost does not grow with the history. */
import { AppendLog } from '../../../actors/values/append-log.ts'
import { digestText } from '../../../actors/values/digest.ts'
import type { EffectKind } from '../../../actors/effect-names.ts'
import type { EffectRequest } from '../../../actors/effect.ts'
import { isRecord } from '../../../actors/values/json.ts'
import { Toolset } from '../../../actors/toolset.ts'

/** The id of the run is left out: a fork makes the same request under an id of its own. */
export function digestOf({ kind, input }: EffectRequest, runId: string): string {
  return digestText(kind, JSON.stringify(project(digested(kind, input), 2) ?? null).replaceAll(runId, ''))
}

/** Fields that follow from entries before the request, and grow with them: a difference has shown there. */
const undigested: Partial<Readonly<Record<EffectKind, string>>> = { tool: 'answers' }

function digested(kind: EffectKind, input: unknown): unknown {
  const field = undigested[kind]
  if (field === undefined || !isRecord(input) || !(field in input)) return input
  const { [field]: _left, ...rest } = input
  return rest
}

/** Replaces lists and toolsets by their own digests. Copies only an object that holds one. */
function project(value: unknown, depth: number): unknown {
  if (value instanceof AppendLog || value instanceof Toolset) return value.digest
  if (depth === 0 || !isRecord(value)) return value
  let projected = value
  for (const key in value) {
    const part = project(value[key], depth - 1)
    if (part === value[key]) continue
    if (projected === value) projected = { ...value }
    projected[key] = part
  }
  return projected
}
