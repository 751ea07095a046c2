/** What the page does to runs: answer, say, cancel, end by force, fork, delete. */
import type { ForkOptions, RunService } from '../../index.ts'
import {
  type Fields,
  aBoolean,
  aText,
  anything,
  optional,
  readOptions,
  readSignal,
  required,
} from '../../kit/index.ts'
import { forkOf, readFork } from '../../kit/host.ts'
import { takenAs, unavailable } from '../../kit/wire/index.ts'
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
  const journal = await service.journal(runId)
  if ('parts' in journal || service.fork === undefined) throw unavailable('This engine forks no runs.')
  void forkOf(journal, wanted, { newId: () => 'trial', now: 0 })
  if (isTrial) return {}
  const { id } = await service.fork(runId, wanted)
  return { runId: id }
}
