/** Validates a signal to a run, which may come as data from any source. */
import { isBlank, type Content } from '../../actors/content/content.ts'
import { anything, aText, oneOf } from '../../actors/strict/checks.ts'
import { aContent } from '../../actors/strict/content.ts'
import {
  optional,
  readOptions,
  required,
  wrong,
  type Field,
  type Reader,
} from '../../actors/strict/read-options.ts'
import { once } from '../../actors/values/once.ts'
import type { ReportedProblem } from '../report.ts'
import { answerFields, approvalFields, approveFields, sayFields, type RunSignal } from './run.ts'

const type = required(oneOf('approve', 'deny', 'resume', 'say', 'cancel'))
/** The run itself checks whether it waits for this call; it waits for none without an id. */
const toolCallId = optional(aText)
const reason = optional(aText)

const aMessage: Reader<Content> = (given, where) => {
  const message = aContent(given, where)
  if (isBlank(message)) throw wrong(given, where, 'a text that is not empty')
  return message
}

type FieldsByType = { readonly [Type in RunSignal['type']]: Readonly<Record<string, Field>> }

const fieldsByType = once((): FieldsByType => ({
  approve: { type, toolCallId, ...approveFields },
  deny: { type, toolCallId, reason, ...approvalFields },
  resume: { type, toolCallId, data: optional(anything), ...answerFields },
  say: { type, message: required(aMessage), ...sayFields },
  cancel: { type, reason, delegationId: optional(aText), by: optional(aText) },
}))

/** Throws a `ConfigurationError`: a misspelt `delegationId` must not cancel the whole run. */
export function readSignal(given: object): RunSignal {
  const fields = fieldsByType()
  const known = {
    type,
    ...fields.resume,
    ...fields.approve,
    ...fields.deny,
    ...fields.cancel,
    ...sayFields,
    message: optional(anything),
  }
  const { type: told } = readOptions<Pick<RunSignal, 'type'>>(given, 'signal', known)
  return readOptions<object>(given, 'signal', fields[told]) as RunSignal
}

/** The problem of a signal that could not be delivered. */
export function undelivered(runId: string, error: unknown): ReportedProblem {
  return {
    message: `a signal for the run "${runId}" was not taken`,
    code: 'SIGNAL_NOT_TAKEN',
    where: 'signal',
    error,
    runId,
  }
}
