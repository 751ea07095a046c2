/** `useRun`: a run in a component of React. */
import {
  type Answer,
  type ApprovalAnswer,
  type ApproveAnswer,
  type CancelOptions,
  ConfigurationError,
  type Content,
  type JsonValue,
  type SayOptions,
  type TroupeError,
} from '../index.ts'
import { type Fields, aFunction, either, is, isRecord, optional, readOptions } from '../kit/index.ts'
import { answerSignal, cancelSignal, saySignal } from '../kit/wire/index.ts'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { RunView } from '../view/contract/run-view.ts'
import type { ConnectionState } from './shared/shared-run.ts'
import { idle } from './shared/shared-run.ts'
import { RunPlace } from './shared/shared-runs.ts'
import { ownRun, servedRun, type ServedRun, type ShownRun } from './source/local-run.ts'
import { remoteRun } from './source/remote-run.ts'
import type { RunSource, UseRunOptions } from './source/run-source.ts'

/** The run of a component: the URL of a run behind `troupe/http`, the handle of a run, or a troupe with the id of a run. */
export type RunOfComponent = string | URL | ShownRun | ServedRun

/** A run as a component shows it. */
export interface RunState {
  /** The run so far: its agents, its text, and the questions that wait. */
  readonly view: RunView
  /** As `view.status`. */
  readonly status: RunView['status']
  readonly connection: ConnectionState
  /** Why there is no connection. The error of a run that has failed is in `view.error`. */
  readonly error: TroupeError | undefined
  /**
   * Lets a held call run. Resolves and rejects as `run.approve`; as all of these functions it rejects with `CONNECTION_LOST`
   * where the server of a URL is not reached.
   */
  readonly approve: (toolCallId: string, answer?: ApproveAnswer) => Promise<void>
  /** Ends a held call without running it. Resolves and rejects as `run.deny`. */
  readonly deny: (toolCallId: string, reason?: string, answer?: ApprovalAnswer) => Promise<void>
  /** Goes on with a suspended call. Resolves and rejects as `run.resume`. */
  readonly resume: (toolCallId: string, data?: JsonValue, answer?: Answer) => Promise<void>
  /** Says something to the agent that holds the conversation. Resolves and rejects as `run.say`. */
  readonly say: (message: Content, options?: SayOptions) => Promise<void>
  /** Cancels the run, or one delegation. Resolves and rejects as `run.cancel`. */
  readonly cancel: (reason?: string, options?: CancelOptions) => Promise<void>
}

const fields: Fields<UseRunOptions> = {
  headers: optional(
    either(
      (given) => typeof given === 'function',
      aFunction,
      is('texts by their names, or a function that returns them', isTexts),
    ),
  ),
  fetch: optional(aFunction),
}

function isTexts(given: unknown): boolean {
  return isRecord(given) && Object.values(given).every((value) => typeof value === 'string')
}

/**
 * Shows a run while the component is mounted, and gives the functions that answer it; `undefined`: there is none yet.
 * Components with the same run share one connection, which is made again where it is lost, behind the last event. Unmounting
 * closes it, and does not cancel the run. On a server it renders a view without events. Throws a `ConfigurationError`.
 */
export function useRun(run: RunOfComponent | undefined, options: UseRunOptions = {}): RunState {
  const read = readOptions<UseRunOptions>(options, 'useRun', fields)
  const [of, id] = partsOf(run)
  // The object with the troupe and the id may be another one in each rendering.
  const place = useMemo(() => new RunPlace(sourceOf(of, id)), [of, id])
  useEffect(() => {
    place.options = read
  })
  const { view, connection, error } = useSyncExternalStore(place.subscribe, place.snapshot, () => idle)
  const actions = useMemo(() => actionsOf(place), [place])
  return { view, status: view.status, connection, error, ...actions }
}

type Part = string | ShownRun | ServedRun['service'] | undefined

function partsOf(run: RunOfComponent | undefined): readonly [of: Part, runId: string | undefined] {
  if (run === undefined || typeof run === 'string') return [run, undefined]
  if (run instanceof URL) return [run.href, undefined]
  return 'service' in run ? [run.service, run.runId] : [run, undefined]
}

function sourceOf(of: Part, runId: string | undefined): RunSource | undefined {
  if (of === undefined) return undefined
  if (typeof of === 'string') return remoteRun(of)
  if (runId !== undefined && 'watch' in of) return servedRun({ service: of, runId })
  if ('eventsAfter' in of) return ownRun(of)
  throw new ConfigurationError('useRun: the run must be a URL, the handle of a run, or { service, runId }.')
}

type Actions = Pick<RunState, 'approve' | 'deny' | 'resume' | 'say' | 'cancel'>

function actionsOf(place: RunPlace): Actions {
  return {
    approve: async (toolCallId, answer) => place.send(answerSignal({ type: 'approve', toolCallId }, answer)),
    deny: async (toolCallId, reason, answer) =>
      place.send(
        answerSignal({ type: 'deny', toolCallId, ...(reason === undefined ? {} : { reason }) }, answer),
      ),
    resume: async (toolCallId, data, answer) =>
      place.send(
        answerSignal({ type: 'resume', toolCallId, ...(data === undefined ? {} : { data }) }, answer),
      ),
    say: async (message, options) => place.send(saySignal(message, options)),
    cancel: async (reason, options) => place.send(cancelSignal(reason, options)),
  }
}
