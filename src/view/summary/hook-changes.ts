/** What the outcome of a hook has changed, beside what it was given. */
import type { JsonValue } from '../../index.ts'
import { isRecord } from '../../kit/index.ts'
import type { SummaryChange } from './summary.ts'
import { lineOf } from './texts.ts'

type Change = Pick<SummaryChange, 'what' | 'before' | 'after'>

/** `value`: the outcome. `asked`: an outline of what the hook was given, where the run could be replayed. */
export function hookChanges(hook: string, value: unknown, asked: JsonValue | undefined): readonly Change[] {
  const given = isRecord(asked) ? asked : {}
  switch (hook) {
    case 'onDelegationStart':
      return delegationChanges(isRecord(value) ? value : {}, given)
    case 'messageFilter':
    case 'handoffFilter':
      return messageChanges(value, given)
    case 'processInput':
      return messageChanges(fieldOf(value, 'messages'), given)
    case 'processOutput':
      return differing('answer', given['text'], fieldOf(value, 'text'))
    case 'onDelegationComplete':
      return [
        ...differing('answer', given['text'], fieldOf(value, 'resultText')),
        ...added('feedback', fieldOf(value, 'feedback')),
        ...(fieldOf(value, 'bail') === true
          ? added('end', 'bail: the answer of the subagent is the answer')
          : []),
      ]
    case 'onIterationComplete':
      return [
        ...added('feedback', fieldOf(value, 'feedback')),
        ...(fieldOf(value, 'continue') === false ? added('end', 'no further iteration') : []),
      ]
    case 'stopWhen':
      return value === true ? added('end', 'the agent stops') : []
    default:
      return []
  }
}

const modified = {
  modifiedInstructions: 'instructions',
  modifiedMaxSteps: 'maxSteps',
  modifiedToolGroups: 'tool groups',
  modifiedThreadId: 'thread',
} as const

function delegationChanges(
  value: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): readonly Change[] {
  if (value['proceed'] === false) return [] // a rejection
  return [
    ...differing('prompt', given['prompt'], value['modifiedPrompt']),
    ...Object.entries(modified).flatMap(([field, what]) => added(what, value[field])),
  ]
}

/** An outline has a conversation as its length and its last message. */
function messageChanges(value: unknown, given: Readonly<Record<string, unknown>>): readonly Change[] {
  if (!Array.isArray(value)) return []
  const before = given['messages']
  const after = `${messageCount(value.length)} ${saying(value.at(-1))}`
  if (before === undefined) return [{ what: 'messages', after: lineOf(after) }]
  const count = countOf(before)
  const last: unknown = Array.isArray(before) ? before.at(-1) : fieldOf(before, 'last')
  const shown = `${messageCount(count)} ${saying(last)}`
  return differing('messages', shown, after)
}

function countOf(messages: unknown): number {
  if (Array.isArray(messages)) return messages.length
  const length = fieldOf(messages, 'length')
  return typeof length === 'number' ? length : 0
}

function messageCount(count: number): string {
  return count === 1 ? '1 message:' : `${count} messages, the last:`
}

/** The words of a message, and where it has none, the calls. */
function saying(message: unknown): string {
  const role = wordsOf(fieldOf(message, 'role'))
  const content = wordsOf(fieldOf(message, 'content'))
  const calls = fieldOf(message, 'toolCalls')
  const names = Array.isArray(calls) ? calls.map((call) => wordsOf(fieldOf(call, 'name'))) : []
  return content === '' && names.length > 0 ? `${role} calls ${names.join(', ')}` : `${role}: ${content}`
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '')
}

function differing(what: string, before: unknown, after: unknown): readonly Change[] {
  if (after === undefined || after === null || isSame(before, after)) return []
  return [{ what, ...(before === undefined ? {} : { before: lineOf(before) }), after: lineOf(after) }]
}

/** An outline says of a long text how many characters it has left out. */
function isSame(before: unknown, after: unknown): boolean {
  if (before === after) return true
  if (typeof before !== 'string' || typeof after !== 'string' || !before.endsWith(' more characters)'))
    return false
  const at = before.lastIndexOf('… (')
  return (
    after.length === at + Number.parseInt(before.slice(at + 3), 10) && after.startsWith(before.slice(0, at))
  )
}

function added(what: string, after: unknown): readonly Change[] {
  return after === undefined || after === null ? [] : [{ what, after: lineOf(after) }]
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}
