/** What must never be on record: a function of the user goes over the texts of content before they are written. */
import type { JournalEntry, JsonValue, RunSignal, ThreadMessage } from '../index.ts'
import { isRecord } from '../kit/index.ts'

/**
 * The text that is kept in the place of a text. It answers at once, and the same text gets the same answer; a text that was
 * answered once stays as it is.
 */
export type Redact = (text: string) => string

/** Fields that the library reads: ids, kinds and digests. Content is the rest. */
const structural: ReadonlySet<string> = new Set(
  (
    'type at kind key digest role id ref mediaType ' +
    'name agent path holder toolCallId toolName tool delegationId messageId ' +
    'promptId answerId cause code runId threadId resourceId conversationId forkedFrom ' +
    'lineage nested traceparent tracestate settings agents version versions versionOverrides clientTools ' +
    'outcome finishReason provider modelId providerData choice usage charge internal'
  ).split(' '),
)

/** Fields whose values are the application's own: each text in them is content, whatever its field. */
const free: ReadonlySet<string> = new Set([
  'args',
  'input',
  'result',
  'object',
  'data',
  'payload',
  'context',
  'output',
])

export class Redactor {
  readonly #redact: Redact | undefined

  constructor(redact: Redact | undefined) {
    this.#redact = redact
  }

  get isNeeded(): boolean {
    return this.#redact !== undefined
  }

  text(text: string): string {
    const kept: unknown = this.#redact === undefined ? text : this.#redact(text)
    if (typeof kept !== 'string') throw new TypeError('redact must give a text at once')
    return kept
  }

  json(value: JsonValue): JsonValue {
    return this.#walk(value, true)
  }

  message(message: ThreadMessage): ThreadMessage {
    return this.#walk(message, false)
  }

  signal(signal: RunSignal): RunSignal {
    return this.#walk(signal, false)
  }

  entry(entry: JournalEntry): JournalEntry {
    return this.#walk(entry, false)
  }

  /** `isFree`: every text is content. A value without a changed text is returned as it is. */
  #walk<Value>(value: Value, isFree: boolean): Value {
    if (this.#redact === undefined) return value
    if (typeof value === 'string') return this.text(value) as Value
    if (Array.isArray(value)) {
      const made = value.map((item: unknown) => this.#walk(item, isFree))
      return made.every((item, index) => item === value[index]) ? value : (made as Value)
    }
    if (!isRecord(value) || isFile(value)) return value
    let made: Record<string, unknown> | undefined
    for (const [field, part] of Object.entries(value)) {
      if (!isFree && structural.has(field)) continue
      const kept = this.#walk(
        part,
        isFree || free.has(field) || (field === 'value' && value['type'] === 'returned'),
      )
      if (kept === part) continue
      made ??= { ...value }
      Object.defineProperty(made, field, {
        value: kept,
        enumerable: true,
        writable: true,
        configurable: true,
      })
    }
    return (made as Value | undefined) ?? value
  }
}

/** The reference of a file is that of its bytes. */
function isFile(value: Readonly<Record<string, unknown>>): boolean {
  return value['type'] === 'file' && typeof value['ref'] === 'string'
}
