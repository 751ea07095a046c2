/** The chunks of a UI message stream of the AI SDK, version 1, as far as runs have them. */
import type { JsonValue } from '../../index.ts'

interface CallChunk {
  readonly toolCallId: string
}

interface Dynamic {
  /** Set unless it is a tool of the page. */
  readonly dynamic?: true
}

interface NamedCallChunk extends CallChunk, Dynamic {
  readonly toolName: string
}

/** A message that the agent did not take has its status here. */
interface Marked {
  readonly providerMetadata?: { readonly troupe: { readonly status: string } }
}

/** What the page gets to know of the run. */
export interface RunMetadata {
  readonly runId: string
  readonly status: string
  /** The next request goes on behind it. */
  readonly cursor?: string
}

export type UiChunk =
  | { readonly type: 'start'; readonly messageId: string }
  | { readonly type: 'start-step' | 'finish-step' }
  | { readonly type: 'text-start' | 'reasoning-start'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | ({ readonly type: 'text-end' | 'reasoning-end'; readonly id: string } & Marked)
  | ({ readonly type: 'tool-input-start' } & NamedCallChunk)
  | ({ readonly type: 'tool-input-delta'; readonly inputTextDelta: string } & CallChunk)
  | ({ readonly type: 'tool-input-available'; readonly input: JsonValue } & NamedCallChunk)
  | ({
      readonly type: 'tool-input-error'
      readonly input: null
      readonly errorText: string
    } & NamedCallChunk)
  | ({ readonly type: 'tool-approval-request'; readonly approvalId: string } & CallChunk)
  | {
      readonly type: 'tool-approval-response'
      readonly approvalId: string
      readonly approved: boolean
      readonly reason?: string
    }
  | ({
      readonly type: 'tool-output-available'
      readonly output: JsonValue
      readonly preliminary?: true
    } & CallChunk &
      Dynamic)
  | ({ readonly type: 'tool-output-error'; readonly errorText: string } & CallChunk & Dynamic)
  | ({ readonly type: 'tool-output-denied' } & CallChunk)
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | {
      readonly type: 'source-document'
      readonly sourceId: string
      readonly mediaType: string
      readonly title: string
    }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | { readonly type: `data-${string}`; readonly id?: string; readonly data: unknown }
  | {
      readonly type: 'finish'
      readonly finishReason: 'stop' | 'length' | 'tool-calls' | 'error' | 'other'
      readonly messageMetadata: RunMetadata
    }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'error'; readonly errorText: string }
