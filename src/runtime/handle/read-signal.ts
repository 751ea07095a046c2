/** Validates a signal to a run, which may come as data from any source. */
import { aName, anything, aText, oneOf } from '../../actors/strict/checks.ts'
import { optional, readOptions, required, type Field } from '../../actors/strict/read-options.ts'
import { answerFields, approvalFields, approveFields, type RunSignal } from './run.ts'

const type = required(oneOf('approve', 'deny', 'resume', 'say', 'cancel'))
/** The run itself checks whether it waits for this call. */
const toolCallId = required(anything)
const reason = optional(aText)

const fields: { readonly [Type in RunSignal['type']]: Readonly<Record<string, Field>> } = {
  approve: { type, toolCallId, ...approveFields },
  deny: { type, toolCallId, reason, ...approvalFields },
  resume: { type, toolCallId, data: optional(anything), ...answerFields },
  say: { type, message: required(aName), by: optional(aText) },
  cancel: { type, reason, delegationId: optional(aText) },
}

/** Throws a `ConfigurationError`: a misspelt `delegationId` must not cancel the whole run. */
export function readSignal(given: RunSignal): RunSignal {
  const known = {
    type,
    ...fields.resume,
    ...fields.approve,
    ...fields.deny,
    ...fields.cancel,
    message: optional(anything),
  }
  const { type: told } = readOptions<Pick<RunSignal, 'type'>>(given, 'signal', known)
  return readOptions<object>(given, 'signal', fields[told]) as RunSignal
}
