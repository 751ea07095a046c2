/** Reads the answer of a user's function. */
import type { z } from 'zod'
import { TerminalError } from '../../../errors.ts'

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
