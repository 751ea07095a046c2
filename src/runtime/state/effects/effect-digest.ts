/** A short digest of the request of an effect; its cost does not grow with the history. */
import { AppendLog } from '../../../actors/values/append-log.ts'
import { digestText } from '../../../actors/values/digest.ts'
import type { EffectKind } from '../../../actors/effect-names.ts'
import type { EffectRequest } from '../../../actors/effect.ts'
import { isRecord } from '../../../actors/values/json.ts'
import { Toolset } from '../../../actors/toolset.ts'

/** Fields that follow from entries before the request, and grow with them: a difference has shown there. */
const undigested: Partial<Readonly<Record<EffectKind, string>>> = { tool: 'answers' }

function digested(kind: EffectKind, input: unknown): unknown {
  const field = undigested[kind]
  if (field === undefined || !isRecord(input) || !(field in input)) return input
  const { [field]: _left, ...rest } = input
  return rest
}

/** Fields whose names are made with the id of the run. */
const named: ReadonlySet<string> = new Set(['runId', 'threadId', 'thread'])

/**
 * `origin`: the id with which the run makes names. It is left out of the fields that hold such names, so that runs of the same
 * course have the same digests; anywhere else it is data, as all other text.
 */
export function digestOf({ kind, input }: EffectRequest, origin: string): string {
  return digestText(kind, JSON.stringify(project(digested(kind, input), 2, origin) ?? null))
}

/** Replaces lists and toolsets by their own digests. Copies only an object that holds one, or a name. */
function project(value: unknown, depth: number, origin: string): unknown {
  if (value instanceof AppendLog || value instanceof Toolset) return value.digest
  if (depth === 0 || !isRecord(value)) return value
  let projected = value
  for (const key in value) {
    const given = value[key]
    const part =
      typeof given === 'string' && named.has(key)
        ? given.replaceAll(origin, '')
        : project(given, depth - 1, origin)
    if (part === given) continue
    if (projected === value) projected = { ...value }
    projected[key] = part
  }
  return projected
}
