/** Runs and questions as clients see them: the same fields on each engine, and no internals of it. */
import type { ListedRun, OpenQuestion, Schedule } from '../../index.ts'
import { hasEnded } from '../../kit/index.ts'
import type { ServedQuestion, ServedRun, ServedSchedule } from './authorize.ts'

const runNames = [
  'runId',
  'agent',
  'outcome',
  'threadId',
  'resourceId',
  'conversationId',
  'startedAt',
  'updatedAt',
  'leftAt',
] as const
const questionNames = [
  'runId',
  'toolCallId',
  'type',
  'agent',
  'toolName',
  'args',
  'payload',
  'path',
  'since',
  'leftAt',
] as const

export function servedRun(run: ListedRun): ServedRun {
  const awaiting = run.awaiting.map(servedQuestion)
  return { ...pick(run, runNames), status: statusOf(run), awaiting }
}

export function servedQuestion(question: OpenQuestion): ServedQuestion {
  return pick(question, questionNames)
}

const scheduleNames = [
  'key',
  'agent',
  'resourceId',
  'status',
  'plan',
  'missed',
  'overlap',
  'next',
  'started',
  'last',
  'skipped',
  'createdAt',
  'endedAt',
] as const

/** Without prompt and options: the run of an occurrence shows them to who may read it. */
export function servedSchedule(schedule: Schedule): ServedSchedule {
  const { error } = schedule
  return { ...pick(schedule, scheduleNames), ...(error === undefined ? {} : { error: error.code }) }
}

function statusOf(run: ListedRun): ServedRun['status'] {
  if (hasEnded(run)) return 'ended'
  return run.awaiting.length > 0 ? 'waiting' : 'running'
}

/** A copy with these fields alone, without those that are `undefined`. */
function pick<Given extends object, Name extends keyof Given>(
  given: Given,
  names: readonly Name[],
): Pick<Given, Name> {
  const fields = names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]])
  return Object.fromEntries(fields) as Pick<Given, Name>
}
