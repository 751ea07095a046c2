/** Whether a run that was found by its id is the run that is asked for. */
import type { RunStarted } from '../journal/journal.ts'

/** The first part of its start that differs. */
export function differenceOf(
  found: RunStarted,
  asked: RunStarted,
): 'agent' | 'nested' | 'prompt' | undefined {
  if (found.agent !== asked.agent) return 'agent'
  if (isOther('nested', found, asked)) return 'nested'
  return (['task', 'content', 'history'] as const).some((part) => isOther(part, found, asked))
    ? 'prompt'
    : undefined
}

/** Whether both are of the same agent, the same prompt and the same call. */
export function isSameTask(found: RunStarted, asked: RunStarted): boolean {
  return differenceOf(found, asked) === undefined
}

function isOther(part: keyof RunStarted, found: RunStarted, asked: RunStarted): boolean {
  return JSON.stringify(found[part]) !== JSON.stringify(asked[part])
}
