/**
 * The rows of the sequence of a run from its journal alone, without a replay: what was asked and answered is on record, what the
 * charts decided is not. A journal of another release is read as far as it goes.
 */
import { agentOf, isChild, positionIn } from '../../actors/actor-path.ts'
import { delegationPrefix, handoffPrefix } from '../../actors/strict/ids.ts'
import { isRecord } from '../../actors/values/json.ts'
import type { EffectSettled, JournalEntry, Signal } from '../../runtime/journal/journal.ts'
import { caller, cut, endText, inWords, type RunRow } from './run-rows.ts'

export function rowsOfJournal(journal: readonly JournalEntry[]): readonly RunRow[] {
  const reader = new JournalReader()
  return journal.flatMap((entry) => reader.rowsOf(entry))
}

/** The names of the calls of an agent's last reply, by the path of the agent. */
type Calls = readonly string[]

class JournalReader {
  #root = caller
  readonly #calls = new Map<string, Calls>()

  rowsOf(entry: JournalEntry): readonly RunRow[] {
    switch (entry.type) {
      case 'run.started':
        this.#root = entry.agent
        return [{ from: caller, to: entry.agent, text: cut(entry.task) }]
      case 'run.settled':
        return [{ from: entry.by ?? this.#root, to: caller, text: endText(entry), isReply: true }]
      case 'effect.settled':
        return this.#settled(entry)
      case 'signal.received':
        return this.#heard(entry.signal)
      default:
        return []
    }
  }

  #settled({ key, kind, settlement }: EffectSettled): readonly RunRow[] {
    const ids = key.split('/').slice(0, -1)
    const at = ids.findLastIndex((id) => agentOf(id) !== undefined)
    const agent = agentOf(ids[at] ?? '') ?? this.#root
    const path = ids.slice(0, at + 1).join('/')
    if (settlement.error !== undefined)
      return [{ from: agent, text: cut(`${kind} failed: ${settlement.error.message}`), look: 'accent' }]
    const value: unknown = settlement.value
    if (!isRecord(value)) return []
    if (kind === 'model') return this.#replied(agent, path, value)
    if (kind === 'tool') return this.#called(agent, path, ids, value)
    if (kind === 'hook' && value['proceed'] === false)
      return [{ from: agent, text: `rejected: ${inWords(value['rejectionReason'])}`, look: 'accent' }]
    return []
  }

  #replied(agent: string, path: string, reply: Readonly<Record<string, unknown>>): readonly RunRow[] {
    const calls = Array.isArray(reply['toolCalls']) ? reply['toolCalls'].filter(isRecord) : []
    this.#calls.set(
      path,
      calls.map(({ name }) => String(name)),
    )
    if (calls.length === 0) {
      const parent = parentIn(path)
      if (parent === undefined) return []
      return [{ from: agent, to: parent, text: inWords(reply['text']), isReply: true }]
    }
    return calls.map(({ name, args }): RunRow => {
      const called = String(name)
      const prompt = isRecord(args) ? (args['prompt'] ?? args['reason'] ?? args) : args
      if (called.startsWith(delegationPrefix))
        return { from: agent, to: called.slice(delegationPrefix.length), text: inWords(prompt) }
      if (called.startsWith(handoffPrefix))
        return {
          from: agent,
          to: called.slice(handoffPrefix.length),
          text: cut(`hands off: ${inWords(prompt)}`),
          look: 'accent',
        }
      return { from: agent, text: cut(`${called} ${inWords(args)}`) }
    })
  }

  #called(
    agent: string,
    path: string,
    ids: readonly string[],
    value: Readonly<Record<string, unknown>>,
  ): readonly RunRow[] {
    const call = ids.findLast((id) => isChild(id, 'call'))
    const name = (call === undefined ? undefined : this.#calls.get(path)?.[positionIn(call) - 1]) ?? 'a tool'
    return value['type'] === 'returned'
      ? [{ from: agent, text: cut(`${name} → ${inWords(value['value'])}`), look: 'muted' }]
      : [{ from: agent, to: caller, text: cut(`asks: ${name} ${inWords(value['payload'])}`), look: 'accent' }]
  }

  #heard(signal: Signal): readonly RunRow[] {
    const by = 'by' in signal && typeof signal.by === 'string' ? `, by ${signal.by}` : ''
    switch (signal.type) {
      case 'answer':
        return [
          {
            from: caller,
            to: agentIn(signal.key) ?? this.#root,
            text: cut(`answers ${inWords(signal.answer)}${by}`),
            isReply: true,
          },
        ]
      case 'say':
        return [{ from: caller, to: this.#root, text: cut(signal.message) }]
      case 'cancel':
        return [
          { from: caller, to: this.#root, text: cut(`cancels: ${signal.reason ?? ''}${by}`), look: 'accent' },
        ]
      default:
        return []
    }
  }
}

/** The agent that an actor works for. */
function agentIn(path: string): string | undefined {
  return path
    .split('/')
    .map(agentOf)
    .findLast((agent) => agent !== undefined)
}

/** The agent that has delegated to the agent at a path. */
function parentIn(path: string): string | undefined {
  return agentIn(path.slice(0, Math.max(0, path.lastIndexOf('/'))))
}
