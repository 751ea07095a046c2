/** The server's token counts, under the names of either API, as ours. Without both counts the usage is `incomplete`. */
import { isRecord } from '../../values/json.ts'
import { reportedUsage, type Usage } from '../../usage.ts'

export function readUsage(value: unknown): Usage {
  const usage = isRecord(value) ? value : {}
  const input = usage['prompt_tokens_details'] ?? usage['input_tokens_details']
  const cachedInputTokens = detail(input, 'cached_tokens')
  const cacheWriteTokens = detail(input, 'cache_write_tokens')
  const reasoningTokens = detail(
    usage['completion_tokens_details'] ?? usage['output_tokens_details'],
    'reasoning_tokens',
  )
  return reportedUsage({
    inputTokens: usage['prompt_tokens'] ?? usage['input_tokens'],
    outputTokens: usage['completion_tokens'] ?? usage['output_tokens'],
    totalTokens: usage['total_tokens'],
    ...(cachedInputTokens > 0 ? { cachedInputTokens } : {}),
    ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
  })
}

function detail(details: unknown, key: string): number {
  const count = isRecord(details) ? details[key] : undefined
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? count : 0
}
