/** What hooks that may change something were given, and what models were offered: the state of the run before their outcome. */
import { outline } from '../../actors/values/outline.ts'
import { effectOf, lastId, placeOf } from '../../actors/actor-path.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import type { JournalEntry } from '../journal/journal.ts'
import { toolsetOfDigest } from '../../actors/toolset/working-memory.ts'
import { isKind, type PendingEffect } from '../state/effects/pending-effect.ts'
import type { RunState } from '../state/run-state.ts'

/** By hook, the fields of its data that its outcome may replace. */
const fields: Readonly<Record<string, readonly string[]>> = {
  onDelegationStart: ['prompt'],
  messageFilter: ['messages'],
  handoffFilter: ['messages'],
  onDelegationComplete: ['text'],
  processInput: ['messages'],
  processOutput: ['text'],
}

const limits = { text: 1_000, items: 10, depth: 5, values: 200 }

/** To be asked before the entry is delivered; `undefined` for any other entry. */
export function askedBy(state: RunState, entry: JournalEntry): JsonValue | undefined {
  if (entry.type !== 'effect.settled') return undefined
  const pending = state.effects.pending.get(entry.key)
  if (pending !== undefined && isKind(pending, 'model')) return offered(state, pending)
  if (entry.kind !== 'hook') return undefined
  const names = fields[placeOf(lastId(effectOf(entry.key)))]
  const input = names && pending?.request.input
  if (names === undefined || input === undefined || !('data' in input) || !isRecord(input.data))
    return undefined
  const { data } = input
  return outline(Object.fromEntries(names.map((name) => [name, data[name]])), limits)
}

/** The most names of tools that are told. */
const mostTools = 200

/** The tools on offer, as far as the agent is known here, and the parameters of the call. */
function offered({ registry }: RunState, { request }: PendingEffect & PendingEffect<'model'>): JsonValue {
  const {
    agent,
    toolset = registry.get(agent)?.toolset,
    tools,
    scope,
    toolChoice,
    finalTurn,
    responseFormat,
  } = request.input
  const names = toolset === undefined || tools === 'none' ? [] : toolsetOfDigest(toolset, tools, scope).names
  return {
    tools: names.slice(0, mostTools),
    ...(names.length > mostTools ? { moreTools: names.length - mostTools } : {}),
    toolChoice,
    ...(finalTurn === undefined ? {} : { finalTurn }),
    ...(responseFormat === undefined ? {} : { responseFormat: true }),
  }
}
