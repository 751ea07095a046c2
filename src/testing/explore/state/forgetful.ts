/** Values as texts for the key of a state, without the parts that no actor can act on. */
import { Toolset } from '../../../actors/toolset/toolset.ts'
import { AppendLog } from '../../../actors/values/append-log.ts'
import { Derived } from '../../../actors/values/derived.ts'
import { written } from '../world/written.ts'

/** They follow from the definition, or only name or measure something. */
const derived: ReadonlySet<string> = new Set([
  'profile',
  'completion',
  'toolset',
  'runId',
  'path',
  'opening',
  'usage',
  'spent',
  'responseFormat',
  'drafts',
  'message',
  'duration',
  'correlationId',
])

/** Conversations: models and the user's functions read them. */
const conversations: ReadonlySet<string> = new Set([
  'messages',
  'conversation',
  'exchange',
  'history',
  'notices',
  'addedInstructions',
])

/** Texts of models, tools and functions: that there is one counts, and its words do not. */
const words: ReadonlySet<string> = new Set([
  'text',
  'content',
  'result',
  'answer',
  'feedback',
  'reasoning',
  'reason',
  'rationale',
  'critique',
  'value',
])

/** Texts by the names of their authors or steps. */
const wordsByName: ReadonlySet<string> = new Set(['resultTexts', 'proposals'])

/** The part of a run's state that some actor, function or rule can still act on. */
export interface StateView {
  /**
   * Whether texts count: a function of the user reads the conversation. Where none does, two states that differ in the
   * words of models and tools alone are one.
   */
  readonly texts: boolean
  /** The group of an agent, by its id: agents of one group are interchangeable. An agent in no group is its own group. */
  readonly groupOf: (agent: string) => string
  /** The counters of the budget that limit the run. */
  readonly counters: readonly ('tokens' | 'cost' | 'modelCalls')[]
  /** Whether timers end in the order of their times. */
  readonly timed: boolean
}

export function forgetful(value: unknown, view: StateView, field = ''): string {
  if (value instanceof AppendLog) return forgetful(value.toArray(), view, field)
  if (value instanceof Toolset) return JSON.stringify(value.digest)
  if (Array.isArray(value)) return `[${value.map((item) => forgetful(item, view, field)).join()}]`
  if (typeof value !== 'object' || value === null) {
    const isWord = !view.texts && (words.has(field) || wordsByName.has(field))
    return isWord ? presence(value) : (JSON.stringify(value) ?? 'null')
  }
  const parts: string[] = []
  for (const name of Object.keys(value).toSorted()) {
    const part: unknown = Reflect.get(value, name)
    if (part === undefined || part instanceof Derived) continue
    if (typeof part === 'function' || derived.has(name)) continue
    if (conversations.has(name)) {
      if (view.texts) parts.push(written(part))
      continue
    }
    parts.push(`${JSON.stringify(name)}:${forgetful(part, view, wordsByName.has(field) ? field : name)}`)
  }
  return `{${parts.join()}}`
}

/** Numbers, truth values and the emptiness of a text may decide something. */
function presence(value: unknown): string {
  return typeof value === 'string' ? (value.trim() === '' ? '""' : '"…"') : JSON.stringify(value)
}
