/** Reads what one processor answers: a change, nothing, or its refusal by `abort`. */
import type { z } from 'zod'
import { effectSchemas, type ProcessorAnswer } from '../../../actors/effects/effect-kinds.ts'
import type { AbortOptions, Tripwire } from '../../../actors/processor.ts'
import { aBoolean } from '../../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../../actors/strict/read-options.ts'
import { TerminalError, toErrorData } from '../../../errors.ts'

export type Abort = (reason: string, options?: AbortOptions) => never

/** The `abort` of one processor: it throws, and a processor that catches the exception has refused all the same. */
export function abortOf(processor: string, trip: (tripwire: Tripwire) => void): Abort {
  return (reason, options) => {
    const told: unknown = reason
    const words = typeof told === 'string' && told.trim() !== '' ? told : 'no reason was given'
    trip({ processor, ...tripOf(words, options) })
    throw new TerminalError(`The processor "${processor}" aborted.`, { code: 'TRIPPED' })
  }
}

const abortFields: Fields<AbortOptions> = { retry: optional(aBoolean) }

/** Wrong options do not undo a refusal: it holds, without another try, and its reason names their fault. */
function tripOf(reason: string, options: unknown = {}): Omit<Tripwire, 'processor'> {
  try {
    const { retry = false } = readOptions<AbortOptions>(options, 'abort', abortFields)
    return { reason, retry }
  } catch (error) {
    return { reason: `${reason} (${toErrorData(error).message})`, retry: false }
  }
}

/** Throws a `TerminalError` for an answer of another kind. */
export function checkedAnswer<Name extends keyof ReturnType<typeof effectSchemas>['processorAnswers']>(
  name: Name,
  processor: string,
  answer: unknown,
): ProcessorAnswer<Name> {
  const shape = effectSchemas().processorAnswers[name]
  return readAnswer(`${name} of "${processor}"`, shape, answer) as ProcessorAnswer<Name>
}

/** Throws a `TerminalError`, code `INVALID_HOOK_RESULT`, that names the fault and its place. */
export function readAnswer<Shape extends z.ZodType>(
  of: string,
  shape: Shape,
  answer: unknown,
): z.output<Shape> {
  const checked = shape.safeParse(answer)
  if (checked.success) return checked.data
  const issue = checked.error.issues[0]
  const where = issue?.path.join('.') || 'its answer'
  throw new TerminalError(`${of} answered with something else than expected: ${where}: ${issue?.message}`, {
    code: 'INVALID_HOOK_RESULT',
  })
}
