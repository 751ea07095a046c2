/** The server's token counts, under the names of either API, as ours. What a server does not count, or counts in no sensible way, is 0. */
import { isRecord } from '../json.ts'
import type { Usage } from '../usage.ts'

export function readUsage(value: unknown): Usage {
  const usage = isRecord(value) ? value : {}
  const inputTokens = count(usage['prompt_tokens'] ?? usage['input_tokens'])
  const outputTokens = count(usage['completion_tokens'] ?? usage['output_tokens'])
  const cachedInputTokens = detail(
    usage['prompt_tokens_details'] ?? usage['input_tokens_details'],
    'cached_tokens',
  )
  const reasoningTokens = detail(
    usage['completion_tokens_details'] ?? usage['output_tokens_details'],
    'reasoning_tokens',
  )
  return {
    inputTokens,
    outputTokens,
    totalTokens: count(usage['total_tokens']) || inputTokens + outputTokens,
    ...(cachedInputTokens > 0 ? { cachedInputTokens } : {}),
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
  }
}

function detail(details: unknown, key: string): number {
  return isRecord(details) ? count(details[key]) : 0
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}
