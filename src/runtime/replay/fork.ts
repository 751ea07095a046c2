/** Forks a journal: the first entries become the start of another run. */
import { plural } from '../../errors/texts.ts'
import type { ZodType } from 'zod'
import { effectSchemas, type EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { EffectKind, HookName } from '../../actors/effects/effect-names.ts'
import type { Settlement } from '../../actors/effects/effect.ts'
import { deepFreeze } from '../../actors/values/frozen.ts'
import { ConfigurationError, toErrorData, type CalledModel, type ErrorData } from '../../errors.ts'
import { anything, aText, either, is, notNegative } from '../../actors/strict/checks.ts'
import {
  anObject,
  optional,
  readOptions,
  required,
  show,
  wrong,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { startedOf, type EffectSettled, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import { lineageOf, rootName, threadOfFork } from '../journal/lineage.ts'
import { lossOf } from '../../actors/strict/shape.ts'
import { readVersions, type VersionOverrides } from '../options/version-selectors.ts'

/** The entry at which a run is forked, and the changes to the new run. */
export interface ForkOptions {
  /** The number of entries that the runs share, from 1. */
  readonly at: number
  /** Replaces the outcome in the last shared entry, which must be that of an effect: "what if it had failed?" */
  readonly patch?: ForkPatch
  /**
   * The versions of agents in the fork, in place of those that the run began with, by agent. The shared entries must
   * replay with them: else it is a `JournalMismatchError`.
   */
  readonly versions?: VersionOverrides
  /**
   * `'today'`: the fork takes the structure of its agents from their definitions of today: options, policies, tools that are
   * new. The shared entries must replay with it: else it is a `JournalMismatchError`. The content is that of today either
   * way, and `onDrift` does not refuse such a fork. Default: that of the run.
   */
  readonly agents?: 'today'
}

/** The outcome of an effect: a value of its kind, or an error as it might have been thrown. */
export type ForkPatch =
  | { readonly value: EffectOutcome<EffectKind>; readonly error?: undefined }
  | { readonly error: ErrorData | Error; readonly value?: undefined }

const calledFields: Fields<CalledModel> = { model: required(aText), next: optional(aText) }

const errorFields: Fields<ErrorData> = {
  name: required(aText),
  code: required(aText),
  message: required(aText),
  cause: optional(anything),
  retryable: optional(is('true', (given) => given === true)),
  retryAfterMs: optional(notNegative),
  called: optional(anObject(calledFields, { word: 'field' })),
}

const patchFields: Fields<ForkPatch> = {
  value: optional(anything),
  error: optional(
    either((given) => given instanceof Error, anything, anObject(errorFields, { word: 'field' })),
  ),
}

const fields: Fields<ForkOptions> = {
  at: required(anything),
  patch: optional(readPatch),
  versions: optional(readVersions),
  agents: optional(is("'today'", (given) => given === 'today')),
}

/** Throws a `ConfigurationError`. */
export function readFork(given: ForkOptions): ForkOptions {
  return readOptions<ForkOptions>(given, 'fork', fields)
}

/** Throws a `ConfigurationError`. */
export function readPatch(given: unknown, where: string): ForkPatch {
  const patch = anObject(patchFields, { expected: '{ value: … } or { error: … }' })(given, where)
  if ((patch.value === undefined) !== (patch.error === undefined)) return patch
  throw wrong(given, where, '{ value: … } or { error: … }')
}

/** The new run of a fork. */
interface Forked {
  readonly newId: () => string
  readonly now: number
  /** The thread that the caller has chosen. Default: one of the fork's own. */
  readonly threadId?: string | undefined
}

/** Throws a `ConfigurationError` when the run has no such entries, has ended there, or the patch fits no outcome. */
export function forkOf(
  journal: readonly JournalEntry[],
  { at, patch }: ForkOptions,
  { newId, now, threadId }: Forked,
): JournalEntry[] {
  const started = startedOf(journal)
  const { runId } = started
  if (!Number.isInteger(at) || at < 1 || at > journal.length) {
    throw new ConfigurationError(
      `fork: at must be a number of entries from 1 to ${journal.length}, which the run "${runId}" has; it is ${show(at)}.`,
    )
  }
  const shared = journal.slice(0, at)
  if (shared.some((entry) => entry.type === 'run.settled')) {
    throw new ConfigurationError(
      `fork: the run "${runId}" has ended within its first ${plural(at, 'entry')}.`,
    )
  }
  const until = shared.at(-1)?.at ?? started.at
  const begun = begunAnew(started, { runId: newId(), at, until, span: now - until, threadId })
  if (patch === undefined) return [begun, ...shared.slice(1)]
  const last = shared.at(-1)
  if (last?.type !== 'effect.settled') {
    throw new ConfigurationError(
      `fork: only the outcome of an effect can be replaced; entry ${at - 1} is ${last?.type}.`,
    )
  }
  const patched: EffectSettled = { ...last, settlement: patchOf(patch, last) }
  return [begun, ...shared.slice(1, -1), patched]
}

/** Milliseconds: less is not worth a word in the journal of a fork that is made at once. */
const shortestSpan = 1_000

interface Begun {
  readonly runId: string
  /** The number of shared entries, the time of the last of them, and the milliseconds since then. */
  readonly at: number
  readonly until: number
  readonly span: number
  readonly threadId: string | undefined
}

function begunAnew(origin: RunStarted, { runId, at, until, span, threadId: chosen }: Begun): JournalEntry {
  // It is a run of its own: the call that began the other takes its end from that run, and cancels that run alone.
  const { uncounted: known = [], threadId: former, nested: _begunBy, ...started } = origin
  const lineage = lineageOf(origin, at, until)
  const named = rootName({ ...started, lineage })
  const hasThread = former !== undefined || started.remembers === true
  const threadId = chosen ?? (hasThread && named !== undefined ? threadOfFork(runId, named) : undefined)
  const earlier = known.filter((time) => time.at < at)
  const uncounted = span >= shortestSpan ? [...earlier, { at, span }] : earlier
  return {
    ...started,
    runId,
    ...(threadId === undefined ? {} : { threadId }),
    forkedFrom: { runId: started.runId, at },
    lineage,
    ...(uncounted.length > 0 && { uncounted }),
  }
}

/** Returns the outcome as a journal may hold it. */
function patchOf(patch: ForkPatch, { kind, key }: EffectSettled): Settlement {
  const { value, error } = patch
  return error === undefined ? { value: readOutcome(kind, key, value) } : { error: toErrorData(error) }
}

/** Returns the outcome of an effect as a journal may hold it. Throws a `ConfigurationError` for a value that is none. */
export function readOutcome(
  kind: EffectKind,
  key: string,
  value: unknown,
  where = 'patch.value',
): EffectOutcome<EffectKind> {
  const checked = outcomeOf(kind, key).safeParse(value)
  const loss = checked.success ? lossOf(value, checked.data, where) : undefined
  if (loss !== undefined) {
    throw new ConfigurationError(`fork: ${loss} is no part of an outcome of a ${kind}, or no value for it.`)
  }
  if (checked.success) return deepFreeze(checked.data) as EffectOutcome<EffectKind>
  const [issue] = checked.error.issues
  throw new ConfigurationError(
    `fork: ${where} is no outcome of a ${kind}: ${issue?.path.join('.') || 'it'}: ${issue?.message}.${formOf(kind)}`,
  )
}

/** The outcomes that people write most. */
function formOf(kind: EffectKind): string {
  if (kind === 'tool') return " The result of a tool is { type: 'returned', value: … }."
  return kind === 'model' ? ' A reply of a model is { text: … }, or { toolCalls: […] }.' : ''
}

/** A key ends with the id of its effect and a count; the id of a hook names it. */
function outcomeOf(kind: EffectKind, key: string): ZodType {
  const { hookOutcomes, effectKinds } = effectSchemas()
  const hook = /\/hook:(\w+)#\d+$/.exec(key)?.[1]
  const isHook = (name: string | undefined): name is HookName => name !== undefined && name in hookOutcomes
  return kind === 'hook' && isHook(hook) ? hookOutcomes[hook] : effectKinds[kind].outcome
}
