/**
 * Encrypted reasoning of the Responses API. The server stores nothing, so the items of the reasoning go back with the
 * message that followed them, each before the text or the call that came after it. Without them each step of the model
 * would think from nothing, and the server could not use its cache. Reasoning that led to an answer is of no further use.
 */
import { isRecord, type JsonValue } from '../../values/json.ts'
import { readText, type Part } from '../shared/part.ts'

interface KeptItem {
  readonly item: Readonly<Record<string, JsonValue>>
  /** The call that came after it, from 0; `text`: the text of the message came after it. */
  readonly before: 'text' | number
}

/** The encrypted items among those of an output with calls. Items at the end lead to nothing. */
export function keptReasoning(items: readonly Record<string, unknown>[]): Pick<Part, 'data'> {
  if (!items.some((item) => item['type'] === 'function_call')) return {}
  const kept: KeptItem[] = []
  let waiting: KeptItem['item'][] = []
  let calls = 0
  for (const item of items) {
    if (isEncrypted(item)) waiting.push(sendable(item))
    if (item['type'] !== 'message' && item['type'] !== 'function_call') continue
    const before: KeptItem['before'] = item['type'] === 'message' ? 'text' : calls++
    kept.push(...waiting.map((reasoning) => ({ item: reasoning, before })))
    waiting = []
  }
  return kept.length === 0 ? {} : { data: { reasoning: kept as unknown as JsonValue } }
}

/** The items that go before the text or a call of a message. */
export function reasoningBefore(data: unknown, place: 'text' | number): readonly KeptItem['item'][] {
  const kept = isRecord(data) ? data['reasoning'] : undefined
  if (!Array.isArray(kept)) return []
  return kept.filter(isKept).flatMap(({ item, before }) => (before === place ? [item] : []))
}

function isEncrypted(item: Record<string, unknown>): boolean {
  return item['type'] === 'reasoning' && readText(item['encrypted_content']) !== ''
}

/** The server refuses a status of `null`, and needs none. */
function sendable({ status: _status, ...item }: Record<string, unknown>): KeptItem['item'] {
  return item as KeptItem['item']
}

function isKept(value: unknown): value is KeptItem {
  return isRecord(value) && isRecord(value['item'])
}
