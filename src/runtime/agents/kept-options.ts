/** Options that are settled when a run begins. A run that is taken up again, or forked, takes no other value of them. */
import { canonicalJson } from '../../actors/values/json.ts'
import { copyAsJson } from '../../actors/values/to-json.ts'
import { jsonPartOf } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { RunStarted } from '../journal/journal.ts'
import { compactionFields, completionFields, delegationFields } from '../options/option-fields.ts'
import { capOptions, jsonOptions, type AnyOptions } from '../options/option-table.ts'
import type { CallOptions } from '../options/options.ts'
import { optionOf, settingsOf } from '../options/settings.ts'

/**
 * Throws a `ConfigurationError` that names the options whose value differs from the value that the run began with, and the
 * functions that it began without. The same value may be given again.
 */
export function assertKept(started: RunStarted, given: AnyOptions & CallOptions, where: string): void {
  const changed = [...changedCalls(started, given), ...changedSettings(started, given)]
  if (changed.length > 0) {
    throw new ConfigurationError(
      `${where}: ${changed.join(', ')} cannot change: a run keeps what it began with. Leave it out, or start another run.`,
    )
  }
}

function changedCalls(started: RunStarted, given: CallOptions): string[] {
  const { settings, context, clientTools, resourceId, conversationId, promptId, stream, threadId, runId } =
    started
  const begun = {
    restored: started.restored ?? false,
    runId,
    threadId,
    resourceId,
    conversationId,
    promptId,
    stream,
    context,
    clientTools,
    instructions: settings.instructions,
  }
  const names = [
    'runId',
    'threadId',
    'resourceId',
    'conversationId',
    'promptId',
    'restored',
    'stream',
    'context',
    'clientTools',
    'instructions',
  ] as const
  const changed: string[] = names.filter(
    (name) => given[name] !== undefined && !isSame(given[name], begun[name]),
  )
  return given.versions === undefined ? changed : [...changed, 'versions']
}

function changedSettings({ settings }: RunStarted, given: AnyOptions): string[] {
  const now = settingsOf(given)
  const plain = [
    ...jsonOptions.map((name) => [name, now[name], settings[name]] as const),
    ...capOptions.map((name) => [name, now.caps?.[name], settings.caps?.[name]] as const),
    ['memory', now.memory, settings.memory] as const,
    ['approvePlan', now.approvePlan === 'asks' ? undefined : now.approvePlan, settings.approvePlan] as const,
    ...partsOf('', now.route, settings.route),
    ...partsOf('delegation.', plainOf(delegationFields, given.delegation), settings.delegation),
    ...partsOf('completion.', plainOf(completionFields, given.completion), settings.completion),
    ...partsOf('compaction.', plainOf(compactionFields, given.compaction), settings.compaction),
    ...partsOf('backgroundTasks.', now.background, settings.background),
  ]
  const changed = plain.flatMap(([name, value, begun]) =>
    value === undefined || isSame(value, begun) ? [] : [name],
  )
  const added = now.hooks.filter((hook) => !settings.hooks.includes(hook)).map(optionOf)
  return [...changed, ...added]
}

/** The data among options that hold functions too: `requireApproval` is data where it is no function. */
function plainOf(
  fields: Parameters<typeof jsonPartOf>[0],
  given: object | undefined,
): Record<string, unknown> | undefined {
  if (given === undefined) return undefined
  const data = Object.entries(jsonPartOf(fields, given)).filter(
    ([name, value]) => typeof value !== 'function' && !inFunctions.has(name),
  )
  return Object.fromEntries(data)
}

/** Objects with functions, which the journal has by their names. */
const inFunctions: ReadonlySet<string> = new Set(['scorers', 'model'])

function partsOf(prefix: string, now: object | undefined, begun: object | undefined) {
  const before: Readonly<Record<string, unknown>> = { ...begun }
  return Object.entries(now ?? {}).map(
    ([name, value]) => [prefix + name, value as unknown, before[name]] as const,
  )
}

function isSame(given: unknown, begun: unknown): boolean {
  return begun !== undefined && textOf(given) === textOf(begun)
}

/** `undefined`: no JSON, which no journal holds. */
function textOf(value: unknown): string | undefined {
  const copy = copyAsJson(value, 'option')
  return copy.ok ? canonicalJson(copy.value) : undefined
}
