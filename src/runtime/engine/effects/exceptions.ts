/** Decides which exceptions of an effect are mistakes in the user's code, and makes the problems that report them. */
import type { EffectRequest } from '../../../actors/effects/effect.ts'
import { timeoutCodes } from '../../../actors/timeouts.ts'
import { toErrorData, TroupeError } from '../../../errors.ts'
import type { ProblemEffect, ReportedProblem } from '../../report.ts'
import type { PendingEffect } from '../../state/effects/pending-effect.ts'
import type { Deed } from '../perform/deed.ts'
import type { PerformedKind } from '../perform/kinds.ts'

export type PerformedRequest = { [Kind in PerformedKind]: EffectRequest<Kind> }[PerformedKind]

/** `undefined`: the exception is control flow. `processor`: the id of the processor that threw. */
export function problemOf(
  runId: string,
  pending: PendingEffect,
  thrown: unknown,
  processor?: string,
): ReportedProblem | undefined {
  if (isExpected(pending, thrown)) return undefined
  return problemWith(runId, pending, thrown, { ...deedOf(thrown), processor })
}

function deedOf(thrown: unknown): Deed {
  if (isTimeout(thrown)) return { verb: 'did not answer in time', code: 'FUNCTION_TIMED_OUT' }
  if (isMisfit(thrown)) return { verb: 'answered wrongly', code: 'FUNCTION_ANSWERED_WRONGLY' }
  return { verb: 'threw', code: 'FUNCTION_THREW' }
}

/** It is a problem also after the effect was let go. */
export function problemWith(
  runId: string,
  pending: PendingEffect,
  thrown: unknown,
  { verb, code, processor }: Deed & { readonly processor?: string | undefined },
): ReportedProblem {
  const { key, source, kind, request } = pending
  const { agent, path } = source
  const name = processor ?? nameOf(request as PerformedRequest)
  const effect: ProblemEffect = { kind, key, ...(name === undefined ? {} : { name }) }
  const what = `the ${processor === undefined ? kind : 'processor'}${name === undefined ? '' : ` "${name}"`}`
  const message = `${what} of the agent "${agent}" ${verb}, in the run "${runId}" at "${path}"`
  return { message, code, where: 'effect', error: originOf(thrown), runId, agent, path, effect }
}

/** Codes of errors that a model, or the owner of a thread, causes. */
const expectedCodes: ReadonlySet<string> = new Set(['INVALID_TOOL_CALL', 'THREAD_OF_ANOTHER_RESOURCE'])

/**
 * After an abort a function stops by an exception. A model reports a failed call by an error of Troupe, and the chart
 * decides the consequence. The exception that ends a subagent was reported where it was thrown.
 */
function isExpected({ kind, signal }: PendingEffect, thrown: unknown): boolean {
  if (signal.aborted || kind === 'agent') return true
  if (kind === 'model' || kind === 'compaction' || kind === 'remote') {
    return isOurs(thrown) || toErrorData(thrown).retryable === true
  }
  return isOurs(thrown) && thrown.cause === undefined && expectedCodes.has(thrown.code)
}

/** Codes of errors about the validation by a schema: their cause is the exception of a schema that threw. */
const schemaCodes: ReadonlySet<string> = new Set([
  'SCHEMA_FAILED',
  'INVALID_TOOL_CALL',
  'INVALID_TOOL_OUTPUT',
])

function originOf(thrown: unknown): unknown {
  const isWrapped = isOurs(thrown) && schemaCodes.has(thrown.code) && thrown.cause !== undefined
  return isWrapped ? thrown.cause : thrown
}

/** Never throws: anything may have been thrown, a revoked proxy too. */
function isOurs(thrown: unknown): thrown is TroupeError {
  try {
    return thrown instanceof TroupeError
  } catch {
    return false
  }
}

function isTimeout(thrown: unknown): boolean {
  const codes: readonly string[] = Object.values(timeoutCodes)
  return isOurs(thrown) && codes.includes(thrown.code)
}

/** Codes of answers that are of another form than expected: nothing was thrown. */
const misfitCodes: ReadonlySet<string> = new Set([
  'INVALID_SCORE',
  'INVALID_HOOK_RESULT',
  'TOOL_RESULT_NOT_JSON',
  'INVALID_TOOL_OUTPUT',
])

function isMisfit(thrown: unknown): boolean {
  return isOurs(thrown) && thrown.cause === undefined && misfitCodes.has(thrown.code)
}

/** The name of the tool, hook, scorer, model or subagent. */
export function nameOf({ kind, input }: PerformedRequest): string | undefined {
  if (kind === 'tool') return input.tool
  if (kind === 'hook') return input.hook
  if (kind === 'scorer') return input.scorer
  if (kind === 'remote') return input.agent
  if (kind === 'custom') return input.name
  if (kind === 'agent') return input.operation === 'run' ? subagentOf(input.request) : input.agent
  return kind === 'model' || kind === 'compaction' ? input.model : undefined
}

function subagentOf({ agent }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof agent === 'string' ? agent : undefined
}
