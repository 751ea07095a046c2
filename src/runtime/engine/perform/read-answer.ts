/** Reads what a function of the user's has answered. */
import type { z } from 'zod'
import { TerminalError } from '../../../errors.ts'

/** Throws a `TerminalError`, code `INVALID_HOOK_RESULT`, that says what was wrong, and where. */
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
