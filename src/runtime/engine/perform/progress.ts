/** The progress that a tool reports: checked, and passed to the readers of events. */
import { toJsonValue } from '../../../actors/values/to-json.ts'
import { TerminalError } from '../../../errors.ts'
import type { PerformContext } from './context.ts'

/** Characters of JSON text: progress goes to every reader. */
const longest = 65_536

const code = 'TOOL_PROGRESS_INVALID'

/** Throws a `TerminalError` for a value that is not JSON, or too long. */
export function reportProgress(given: unknown, onProgress: PerformContext['onProgress']): void {
  const value = toJsonValue(given, 'The value of emit()', { root: 'value', code })
  const { length } = JSON.stringify(value)
  if (length > longest) {
    throw new TerminalError(
      `The value of emit() has ${length} characters of JSON text, at most ${longest} are allowed.`,
      { code },
    )
  }
  onProgress?.(value)
}
