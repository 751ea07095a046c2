/** What the page does to runs: answer, say, cancel, end by force, fork, delete. */
import type { ForkOptions, JsonValue, RunService } from '../../index.ts'
import {
  type Fields,
  aBoolean,
  aName,
  aText,
  anything,
  oneOf,
  optional,
  readOptions,
  readSignal,
  required,
  toErrorData,
} from '../../kit/index.ts'
import { type DryFunctions, forkOf, readFork, readPatch } from '../../kit/host.ts'
import { takenAs, unavailable } from '../../kit/wire/index.ts'
import type { DryRuns } from '../dry/dry-runs.ts'
import type { EndRequest, Forked } from '../wire/routes.ts'

type Body = Readonly<Record<string, unknown>>

interface GivenFork {
  readonly at: ForkOptions['at']
  readonly patch?: ForkOptions['patch']
  readonly isTrial?: boolean
}

const forkFields: Fields<GivenFork> = {
  at: required(anything),
  patch: optional(anything),
  isTrial: optional(aBoolean),
}

/** `by`: whoever answers, as the server knows. Rejects with a `RefusedRequest` for what is no signal, and as `signal` of the service does. */
export async function signalRun(
  service: RunService,
  runId: string,
  body: Body,
  by: string | undefined,
): Promise<void> {
  await takenAs(async () => {
    const signal = readSignal(body)
    await service.signal(runId, by === undefined || signal.type === 'cancel' ? signal : { ...signal, by })
  })
}

const endFields: Fields<EndRequest> = { reason: optional(aText) }

/** Ends a run that cannot go on: nothing of it is performed. Rejects as `cancel` of the service does. */
export async function endRun(service: RunService, runId: string, body: Body): Promise<void> {
  await takenAs(async () => {
    const { reason } = readOptions<EndRequest>(body, 'end', endFields)
    await service.cancel(runId, reason, { force: true })
  })
}

/** Checks a fork, and begins it unless it is a trial. Rejects with a `RefusedRequest` for one that cannot be. */
export function forkRun(service: RunService, runId: string, body: Body): Promise<Forked> {
  return takenAs(() => fork(service, runId, body))
}

async function fork(service: RunService, runId: string, body: Body): Promise<Forked> {
  const { isTrial = false, ...given } = readOptions<GivenFork>(body, 'fork', forkFields)
  const wanted = readFork(given)
  if (service.fork === undefined) throw unavailable('This engine forks no runs.')
  await assertForks(service, runId, wanted)
  if (isTrial) return {}
  const { id } = await service.fork(runId, wanted)
  return { runId: id }
}

/** Rejects with a `ConfigurationError`. */
async function assertForks(
  service: Pick<RunService, 'journal'>,
  runId: string,
  wanted: ForkOptions,
): Promise<void> {
  const journal = await service.journal(runId)
  if ('parts' in journal) throw unavailable('This engine forks no runs.')
  void forkOf(journal, wanted, { newId: () => 'trial', now: 0 })
}

interface GivenDryFork extends GivenFork {
  readonly functions?: DryFunctions
}

const dryFields: Fields<GivenDryFork> = {
  ...forkFields,
  functions: optional(oneOf('run', 'ask')),
}

/** Checks a dry fork, and begins it unless it is a trial. Rejects with a `RefusedRequest` for one that cannot be. */
export function dryForkRun(
  { service, dry }: { readonly service: RunService; readonly dry: DryRuns },
  runId: string,
  body: Body,
): Promise<Forked> {
  return takenAs(async () => {
    const { isTrial = false, functions = 'run', ...given } = readOptions<GivenDryFork>(body, 'dry', dryFields)
    const wanted = readFork(given)
    await assertForks(service, runId, wanted)
    return isTrial ? {} : { runId: await dry.begin(runId, wanted, functions) }
  })
}

/** Gives a held effect its outcome. Rejects with a `RefusedRequest` for what is none. */
export function scriptRun(dry: DryRuns, runId: string, { key: named, ...outcome }: Body): Promise<void> {
  return takenAs(async () => {
    const { key } = readOptions<{ readonly key: string }>({ key: named }, 'script', { key: required(aName) })
    const { value, error } = readPatch(outcome, 'script')
    dry.answer(
      runId,
      key,
      error === undefined ? { value: value as JsonValue } : { error: toErrorData(error) },
    )
  })
}
