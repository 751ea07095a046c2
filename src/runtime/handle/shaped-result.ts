/** Shapes the object of a result by the schema of `structuredOutput`. */
import type { Schema } from '../../actors/schemas/schema.ts'
import { validate } from '../../actors/schemas/validate.ts'
import { TerminalError } from '../../errors.ts'
import { systemClock, type Clock } from '../clock.ts'
import { inTime } from '../in-time.ts'
import type { FinalResult } from './result.ts'

/** The JSON of shaped results. */
const onRecord = /* @__PURE__ */ new WeakMap<FinalResult, unknown>()

/** The object of a result as JSON: what the journal has, whatever the schema has made of it. `undefined`: there is none. */
export function objectOnRecord(result: FinalResult): unknown {
  if (onRecord.has(result)) return onRecord.get(result)
  return result.outcome === 'completed' ? result.object : undefined
}

interface Shaping {
  readonly clock?: Clock
  readonly timeout?: number
  readonly failed?: (thrown: unknown) => void
}

/**
 * The result with its object as the schema outputs it, dates and defaults included. Without the schema it stays JSON,
 * and with one that throws, or does not answer within `timeout` milliseconds: `failed` is then called with the
 * exception.
 */
export async function shapedResult(
  result: FinalResult,
  schema: Schema | undefined,
  { clock = systemClock, timeout = 60_000, failed }: Shaping = {},
): Promise<FinalResult> {
  if (result.outcome !== 'completed' || result.object === undefined || schema === undefined) return result
  const { object } = result
  try {
    const checked = await inTime({ clock }, timeout, 'The schema of the answer', () =>
      validate(schema, object),
    )
    if (checked.ok) {
      const shaped = { ...result, object: checked.value }
      onRecord.set(shaped, object)
      return shaped
    }
    if (checked.failure !== undefined) failed?.(checked.failure.thrown)
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error
    failed?.(error)
  }
  return result
}
