/** The arguments of the root agent's calls, while its model streams them, as the parts of a stream. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { handoffPrefix } from '../../actors/handoff-tools.ts'
import type { RunEvent } from '../../runtime/handle/run-event.ts'

type Part = LanguageModelV4StreamPart
type CallDeltaEvent = Extract<RunEvent, { type: 'tool-call-delta' }>

/**
 * Each input that has begun ends: before its call, or without one where the call is not made. A model call that is made
 * again begins its inputs again, under the same ids.
 */
export class CallInputs {
  readonly #open = new Set<string>()
  /** The attempt at a message that streams the open inputs. */
  #source = ''

  /** A handoff is no call of the stream: its arguments are not part of it. */
  add({ payload, messageId = '', attempt = 1 }: CallDeltaEvent): readonly Part[] {
    const { toolCallId: id, toolName, text: delta } = payload
    if (toolName.startsWith(handoffPrefix)) return []
    const source = `${attempt}:${messageId}`
    const before = source === this.#source ? [] : this.endAll()
    this.#source = source
    return [...before, ...this.#begin(id, toolName), { type: 'tool-input-delta', id, delta }]
  }

  end(id: string): readonly Part[] {
    return this.#open.delete(id) ? [{ type: 'tool-input-end', id }] : []
  }

  endAll(): readonly Part[] {
    return [...this.#open].flatMap((id) => this.end(id))
  }

  #begin(id: string, toolName: string): readonly Part[] {
    if (this.#open.has(id)) return []
    this.#open.add(id)
    return [{ type: 'tool-input-start', id, toolName, providerExecuted: true, dynamic: true }]
  }
}
