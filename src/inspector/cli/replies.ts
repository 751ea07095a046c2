/** The outcomes of a dry fork in a terminal: lines that a person writes, or a file. */
import { ConfigurationError, type JsonValue } from '../../index.ts'
import { isRecord, toErrorData } from '../../kit/index.ts'
import type { DryQuestion, ScriptedOutcome } from '../../kit/host.ts'

/** What a reply answers: a held effect, or a question of the run to a person. */
export interface Asked {
  /** Such as `model`, `tool` or `approval`. */
  readonly kind: DryQuestion['kind'] | 'approval' | 'suspension' | 'interruption'
  readonly name?: string
  readonly agent: string
}

/** One line of a file, or one that a person wrote. */
interface Reply {
  /** The name of a tool or model, an agent, or a kind; absent: whatever is asked next. */
  readonly for?: string
  readonly outcome: ScriptedOutcome
}

/** Reads a line: JSON, or else a text. `{ "error": … }` and `{ "value": … }` say which; `for` says of what. */
export function readReply(line: string): Reply {
  const given = jsonIn(line)
  if (!isRecord(given) || !('error' in given || ('value' in given && isWrapped(given))))
    return { outcome: { value: given } }
  const named = typeof given['for'] === 'string' ? { for: given['for'] } : {}
  if (!('error' in given)) return { ...named, outcome: { value: given['value'] ?? null } }
  return { ...named, outcome: { error: toErrorData(given['error'], 'TERMINAL') } }
}

function isWrapped(given: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(given).every((name) => name === 'for' || name === 'value')
}

function jsonIn(line: string): JsonValue {
  try {
    return JSON.parse(line) as JsonValue
  } catch {
    return line
  }
}

/** The replies of a file, each taken once, in their order. */
export class Replies {
  readonly #left: Reply[]

  /** `text`: a list as JSON, or one reply a line. Throws a `ConfigurationError` for a text without any. */
  constructor(text: string) {
    const list = jsonIn(text)
    const lines = Array.isArray(list)
      ? list.map((item) => JSON.stringify(item))
      : text.split('\n').filter((line) => line.trim() !== '')
    this.#left = lines.map(readReply)
    if (this.#left.length === 0) throw new ConfigurationError('fork: --replies: the file has no reply.')
  }

  /** `undefined`: none is left for that. */
  next({ kind, name, agent }: Asked): ScriptedOutcome | undefined {
    const at = this.#left.findIndex(
      (reply) => reply.for === undefined || [kind, name, agent].includes(reply.for),
    )
    return at === -1 ? undefined : this.#left.splice(at, 1)[0]?.outcome
  }
}
