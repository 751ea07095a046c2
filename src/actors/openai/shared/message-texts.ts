/**
 * The messages of requests as JSON. A request carries its whole conversation, and each message of it was sent before:
 * the texts are kept, so that a call converts and serialises the newest messages alone.
 */
import { isAcceptableName } from './replay.ts'
import type { Message } from '../../message.ts'
import type { Quirks } from './quirks.ts'

/** The items of a message on the wire, as JSON that is joined with commas; `''`: the message has none. */
export type Serialise = (message: Message) => string

/** The texts of one model. They live as long as their messages. */
export class MessageTexts {
  readonly #byForm = new Map<string, WeakMap<Message, string>>()

  /** The items of all messages in a JSON list. `quirks`: those that the messages are written for. */
  list(messages: readonly Message[], quirks: Quirks, serialise: Serialise): string {
    const texts = this.#textsOf(quirks)
    const parts = messages.map((message) => {
      const known = texts.get(message)
      if (known !== undefined) return known
      const text = serialise(message)
      if (isLasting(message)) texts.set(message, text)
      return text
    })
    return `[${parts.filter((part) => part !== '').join(',')}]`
  }

  #textsOf(quirks: Quirks): WeakMap<Message, string> {
    const form = [...quirks].toSorted().join()
    const known = this.#byForm.get(form)
    if (known !== undefined) return known
    const made = new WeakMap<Message, string>()
    this.#byForm.set(form, made)
    return made
  }
}

/**
 * Whether the text of a message is the same in each request: the message cannot change, is all text, and has no call
 * whose name depends on the tools of the request.
 */
function isLasting(message: Message): boolean {
  if (!Object.isFrozen(message) || typeof message.content !== 'string') return false
  return message.role !== 'assistant' || (message.toolCalls ?? []).every(({ name }) => isAcceptableName(name))
}
