/** The conversation of a case: what its user says after each answer, until the user has done or the conversation is cut. */
import type { Message, Prompt, PromptMessage } from '../../actors/message.ts'
import { isBlank, textOf } from '../../actors/content/content.ts'
import { addUsage, noUsage, reportedUsage, type Usage } from '../../actors/usage.ts'
import { isRecord } from '../../actors/values/json.ts'
import { show } from '../../actors/strict/read-options.ts'
import { TerminalError, toErrorData, type ErrorData } from '../../errors.ts'
import { systemClock } from '../../runtime/clock.ts'
import type { FinalResult } from '../../runtime/handle/result.ts'
import { inTime } from '../../runtime/in-time.ts'
import type { ToolRecord } from './tool-recording.ts'

/** What the user of a case is given before each of its messages. */
export interface EvaluationConversation {
  /** The texts so far, the user's first. The last is an answer of the agent; empty where the answer has no text. */
  readonly messages: readonly Message[]
  /** How many answers the agent has given. */
  readonly turn: number
  /** The result of the last answer. */
  readonly result: FinalResult
  /** Fires at the deadline, `userTimeout`. */
  readonly signal: AbortSignal
}

/** The next message of a user; `undefined`, or one without a text: the user has done. */
export type UserMessageGiven =
  string | undefined | { readonly text?: string | undefined; readonly usage?: Usage }

/** The messages of a user after the first, or a function that gives them one by one. */
export type EvaluationUser =
  readonly string[] | ((conversation: EvaluationConversation) => UserMessageGiven | Promise<UserMessageGiven>)

/** One message of the user, and the run that answered. */
export interface EvaluationTurn {
  /** The text of the message. */
  readonly prompt: string
  readonly result: FinalResult
  /** The calls of tools in the run. */
  readonly calls: readonly ToolRecord[]
}

/** What follows an answer. */
type Next =
  | { readonly type: 'says'; readonly text: string }
  /** The user has done. */
  | { readonly type: 'done' }
  /** The user has not done, and the case fails. */
  | { readonly type: 'cut'; readonly reason: string; readonly error?: ErrorData }

interface ConversationOptions {
  readonly prompt: Prompt
  readonly user: EvaluationUser
  readonly maxTurns: number
  /** Milliseconds for one message of the user. */
  readonly timeout: number
  /** Whether the agent keeps the conversation in a thread. Otherwise each prompt repeats it. */
  readonly isKept: boolean
}

export class Conversation {
  readonly #options: ConversationOptions
  readonly #turns: EvaluationTurn[] = []
  #said: PromptMessage[]
  #usage = noUsage

  constructor(options: ConversationOptions) {
    this.#options = options
    const { prompt } = options
    this.#said = typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : [...prompt]
  }

  get turns(): readonly EvaluationTurn[] {
    return this.#turns
  }

  /** What the user itself has used. */
  get userUsage(): Usage {
    return this.#usage
  }

  /** The prompt of the next run. */
  get prompt(): Prompt {
    const { prompt, isKept } = this.#options
    if (this.#turns.length === 0) return prompt
    if (isKept) return this.#said.slice(-1)
    // An answer without a text, such as a file alone, is no message of a prompt.
    return this.#said.filter(({ role, content }) => role === 'user' || !isBlank(content))
  }

  /** The texts so far. */
  get messages(): readonly Message[] {
    return this.#said.map(({ role, content }) => ({ role, content: textOf(content) }))
  }

  answered(result: FinalResult, calls: readonly ToolRecord[]): void {
    const { content = '' } = this.#said.at(-1) ?? {}
    this.#turns.push({ prompt: textOf(content), result, calls })
    this.#said = [...this.#said, { role: 'assistant', content: result.text }]
  }

  /** `result`: the last answer. */
  async next(result: FinalResult): Promise<Next> {
    const { maxTurns } = this.#options
    const next = await this.#asked(result)
    if (next.type !== 'says') return next
    if (this.#turns.length >= maxTurns)
      return {
        type: 'cut',
        reason: `The user has not done after ${maxTurns} ${maxTurns === 1 ? 'turn' : 'turns'}.`,
      }
    this.#said = [...this.#said, { role: 'user', content: next.text }]
    return next
  }

  async #asked(result: FinalResult): Promise<Next> {
    const { user, timeout } = this.#options
    const turn = this.#turns.length
    if (typeof user !== 'function') {
      const text = user[turn - 1]
      return text === undefined ? { type: 'done' } : { type: 'says', text }
    }
    const deadline = new AbortController()
    const { signal } = deadline
    try {
      const given = await inTime({ clock: systemClock }, timeout, 'The user of the case', () =>
        user({ messages: this.messages, turn, result, signal }),
      )
      const { text, usage } = readMessage(given)
      this.#usage = addUsage(this.#usage, usage)
      return text === undefined ? { type: 'done' } : { type: 'says', text }
    } catch (thrown) {
      deadline.abort()
      const error = toErrorData(thrown, 'EVALUATION_USER_FAILED')
      return { type: 'cut', reason: `The user failed after turn ${turn}: ${error.message}`, error }
    }
  }
}

/** Throws a `TerminalError` for something else than a message. */
function readMessage(given: unknown): { readonly text: string | undefined; readonly usage: Usage } {
  const { text, usage } = isRecord(given)
    ? { text: given['text'], usage: given['usage'] }
    : { text: given, usage: undefined }
  const used = usage === undefined ? noUsage : reportedUsage(usage)
  if (text === undefined || text === null) return { text: undefined, usage: used }
  if (typeof text === 'string' && text.trim() !== '') return { text, usage: used }
  throw new TerminalError(
    `A message of the user must be a text that is not empty, not ${show(text)}. Answer undefined where the user has done.`,
    { code: 'EVALUATION_USER_FAILED' },
  )
}
