/** The body of a request as JSON: its lists are texts already. */
import type { ToolDescription } from '../../chat-model.ts'
import { isAcceptableName } from './replay.ts'
import type { Message } from '../../message.ts'
import type { Quirks } from './quirks.ts'

/** The texts that are kept for one model. */
export interface KeptTexts {
  readonly messages: MessageTexts
  readonly tools: ToolTexts
}

// The messages of requests as JSON. A request carries its whole conversation, and each message of it was sent before:
// the texts are kept, so that a call converts and serialises the newest messages alone.

/** The items of a message on the wire, as JSON that is joined with commas; `''`: the message has none. */
type Serialise = (message: Message) => string

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

// The tools of requests as JSON. Each call of a step offers the same ones: their text is kept.

/** The texts of one model. They live as long as the lists of tools. */
export class ToolTexts {
  readonly #texts = new WeakMap<readonly ToolDescription[], Map<string, string>>()

  /** A JSON list. `toTool`: one tool on the wire, the same in each call of a `form`. */
  list(tools: readonly ToolDescription[], form: string, toTool: (tool: ToolDescription) => object): string {
    const texts = this.#texts.get(tools)
    const known = texts?.get(form)
    if (known !== undefined) return known
    const text = JSON.stringify(tools.map(toTool))
    if (texts !== undefined) texts.set(form, text)
    else if (isFrozen(tools)) this.#texts.set(tools, new Map([[form, text]]))
    return text
  }
}

/** With all that is in it. */
function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isFrozen)
}

/** The lists of a body: their JSON by their names. */
export type ListTexts = Readonly<Record<string, string>>

/** `others`: all fields but the lists, at least one. */
export function bodyText(others: object, lists: ListTexts): string {
  const names = Object.keys(lists)
  const frame = JSON.stringify({ ...others, ...Object.fromEntries(names.map((name) => [name, undefined])) })
  return `${frame.slice(0, -1)},${names.map((name) => `"${name}":${lists[name]}`).join(',')}}`
}

/** Empty for a request without tools: servers refuse an empty list. */
export function toolList(
  tools: readonly ToolDescription[],
  texts: ToolTexts,
  form: string,
  toTool: (tool: ToolDescription) => object,
): ListTexts {
  return tools.length === 0 ? {} : { tools: texts.list(tools, form, toTool) }
}

/** The headers of a request whose body is JSON as text: the client sends a text of this type as it is. */
export const jsonHeaders = { 'content-type': 'application/json' }
