/** Reads the lines of an export, which anybody may have written. Each function answers `undefined` for a line of another shape. */
import type { JournalEntry, OpenQuestion, RunSignal } from '../index.ts'
import type { BlobLine, MessageLine, NoteLine, RunLine, SignalLine, ThreadLine } from './format.ts'

export type Line = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Line {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isFlag = (value: unknown): boolean => value === undefined || value === true
const isOptional = (value: unknown, is: (value: unknown) => boolean): boolean =>
  value === undefined || is(value)

export function readRun(line: Line): RunLine | undefined {
  const { run, entries, signals, isSuspended, isPassivated, wakeAt, awaiting, isMoved } = line
  const isWhole =
    isText(run) &&
    run !== '' &&
    isCount(entries) &&
    isCount(signals) &&
    [isSuspended, isPassivated, isMoved].every(isFlag) &&
    isOptional(wakeAt, isTime) &&
    Array.isArray(awaiting) &&
    awaiting.every((question) => isQuestion(question, run))
  return isWhole ? (line as unknown as RunLine) : undefined
}

const questionTypes: readonly unknown[] = [
  'approval',
  'suspension',
  'interruption',
] satisfies OpenQuestion['type'][]

function isQuestion(value: unknown, runId: string): value is OpenQuestion {
  if (!isObject(value)) return false
  const { runId: of, toolCallId, type, agent, toolName, path, since, asOf, key } = value
  return (
    of === runId &&
    [toolCallId, agent, toolName, path].every(isText) &&
    questionTypes.includes(type) &&
    isTime(since) &&
    isCount(asOf) &&
    isOptional(key, isText)
  )
}

const entryTypes: readonly unknown[] = [
  'run.started',
  'effect.started',
  'effect.settled',
  'timer.fired',
  'signal.received',
  'program.drifted',
  'run.restored',
  'run.settled',
] satisfies JournalEntry['type'][]

/** Only a replay shows whether it fits its run. */
export function readEntry({ entry }: Line): JournalEntry | undefined {
  if (!isObject(entry) || !entryTypes.includes(entry['type']) || !isTime(entry['at'])) return undefined
  return entry as unknown as JournalEntry
}

const signalTypes: readonly unknown[] = [
  'approve',
  'deny',
  'resume',
  'cancel',
  'say',
] satisfies RunSignal['type'][]

export function readQueued(line: Line): SignalLine | undefined {
  const { signal, claim } = line
  if (!isObject(signal) || !signalTypes.includes(signal['type']) || !isOptional(claim, isText))
    return undefined
  return line as unknown as SignalLine
}

export function readThread(line: Line | undefined): ThreadLine | undefined {
  if (line === undefined) return undefined
  const { thread, resourceId, messages } = line
  const isWhole = isText(thread) && thread !== '' && isOptional(resourceId, isText) && isCount(messages)
  return isWhole ? (line as unknown as ThreadLine) : undefined
}

export function readMessage(line: Line): MessageLine | undefined {
  const { message } = line
  if (!isObject(message)) return undefined
  const { id, role, content, at } = message
  const isWhole =
    isText(id) &&
    (role === 'user' || role === 'assistant') &&
    (isText(content) || Array.isArray(content)) &&
    isTime(at)
  return isWhole ? (line as unknown as MessageLine) : undefined
}

export function readNote(line: Line): NoteLine | undefined {
  return isText(line['note']) && isText(line['content']) ? (line as unknown as NoteLine) : undefined
}

export function readBlob(line: Line): BlobLine | undefined {
  const { blob, bytes } = line
  return isText(blob) && /^[0-9a-f]{64}$/.test(blob) && isText(bytes)
    ? (line as unknown as BlobLine)
    : undefined
}
