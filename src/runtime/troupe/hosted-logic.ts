/**
 * An agent as actor logic for a machine of the application: `invoke`, `spawnChild` or `useActor` in any XState app, in
 * the actor system of that app, on its clock, with its inspector. It persists the run id alone and is restored from the
 * journal; stopping it cancels the run.
 */
import type { AnyEventObject, Snapshot, AnyActorRef } from 'xstate'
import { ConfigurationError, toErrorData } from '../../errors.ts'
import { markAgent, markFailing } from '../../machines/contract/agent-mark.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import { transitionRun } from '../state/run-logic.ts'
import { safeObservers } from '../state/safe-observers.ts'
import type { RunEvent } from '../handle/run-event.ts'
import type { RunSignal } from '../handle/run.ts'
import type { Reporter } from '../report.ts'
import { failureOf } from '../handle/or-throw.ts'
import type { FinalResult } from '../handle/result.ts'
import type {
  LogicOptions,
  HostedInput,
  HostedLogic,
  HostedSnapshot,
  RunOfSnapshot,
  RunsOfActors,
} from './hosted.ts'
import type { Prompt } from '../../actors/message.ts'
import { oneOf } from '../../actors/strict/checks.ts'
import {
  defaultsOf,
  isObject,
  readOptions,
  show,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { statusOf } from '../../actors/xstate-internals.ts'
import type { NestingHost } from '../nested/nested-run.ts'
import { runsAround, type Followed, type RunsOfCall } from '../nested/nested-runs.ts'
import { stopReason } from './reclaim-run.ts'

/** Types do not see every caller. Throws a `ConfigurationError`. */
function inputFor({ id }: AgentDefinition, given: HostedInput<object>): HostedInput<object> {
  const expected = `The input of the agent "${id}" must be { prompt, … }`
  if (!isObject(given)) throw new ConfigurationError(`${expected}, not ${show(given)}.`)
  if ((given as Partial<typeof given>).prompt === undefined)
    throw new ConfigurationError(`${expected}: its prompt is missing.`)
  return given
}

/** An app may have many agents: the error of an input names its own. */
function ofAgent({ id }: AgentDefinition, error: unknown): unknown {
  const isNamed =
    !(error instanceof ConfigurationError) ||
    error.code !== 'INVALID_CONFIGURATION' ||
    error.message.includes(`"${id}"`)
  if (isNamed) return error
  return new ConfigurationError(`The input of the agent "${id}": ${error.message}`, { cause: error })
}

const fields = { failed: withDefault(oneOf('done', 'error'), 'done') } satisfies Fields<LogicOptions>

/** Throws a `ConfigurationError`. */
export function readLogicOptions(given: LogicOptions | undefined): Required<LogicOptions> {
  return { ...defaultsOf(fields), ...readOptions<LogicOptions>(given ?? {}, 'logic', fields) }
}

export function hostedLogic(
  agent: AgentDefinition,
  runs: RunsOfActors,
  report: Reporter,
  { failed }: Required<LogicOptions>,
): HostedLogic {
  const logic: HostedLogic = {
    getInitialSnapshot: ({ self }, input) => {
      const { prompt, ...options } = inputFor(agent, input)
      try {
        return active(runs.create(self, prompt, options))
      } catch (error) {
        throw ofAgent(agent, error)
      }
    },
    restoreSnapshot: (persisted, { self }) => {
      const snapshot = { ...(persisted as HostedSnapshot), children: {}, awaiting: [] }
      const place = { runId: snapshot.runId, agent: agent.id, path: agent.id }
      safeObservers(report, () => place)(self)
      return snapshot
    },
    start: (snapshot, { self }) => runs.start(self, snapshot),
    transition: (snapshot, event: AnyEventObject, { self, emit }) => {
      switch (event.type) {
        case 'run.event': {
          const happened = event['event'] as RunEvent
          emit(happened)
          return noticed(snapshot, happened)
        }
        case 'run.begun':
          return active(event['begun'] as RunOfSnapshot)
        case 'run.restored':
        case 'run.handedOver':
          return { ...snapshot, children: runs.childrenOf(self) }
        case 'run.failed':
          return { ...snapshot, status: 'error', error: event['error'], output: undefined }
        case 'run.ended': {
          const result = event['result'] as FinalResult
          if (failed === 'done' || result.outcome !== 'failed')
            return transitionRun({ ...snapshot, awaiting: [] }, event, self)
          return { ...snapshot, awaiting: [], status: 'error', error: failureOf(result), output: undefined }
        }
        case 'run.lost':
          return transitionRun({ ...snapshot, awaiting: [] }, event, self)
        case 'approve':
        case 'deny':
        case 'resume':
        case 'cancel':
          runs.signal(self, event as RunSignal)
          return snapshot
        case 'signal.refused':
          emit({
            type: 'signal-refused',
            signal: event['signal'] as RunSignal,
            error: toErrorData(event['error']),
          })
          return snapshot
        case 'xstate.stop':
          runs.stop(self)
          return { ...snapshot, status: 'stopped', output: undefined, error: undefined }
        default:
          return snapshot
      }
    },
    getPersistedSnapshot: ({ status, runId, output, error, beginning }) =>
      ({
        status,
        runId,
        output,
        error: error === undefined ? undefined : toErrorData(error),
        ...(beginning && { beginning }),
      }) as object as Snapshot<unknown>,
  }
  return markAgent(failed === 'error' ? markFailing(logic) : logic, 'run')
}

function active(run: RunOfSnapshot): HostedSnapshot {
  return { status: 'active', output: undefined, error: undefined, ...run }
}

function noticed(snapshot: HostedSnapshot, event: RunEvent): HostedSnapshot {
  if (event.type === 'run-start') return { ...snapshot, beginning: undefined }
  if (event.type === 'suspended') return { ...snapshot, awaiting: event.payload.awaiting }
  return event.type === 'resumed' ? { ...snapshot, awaiting: [] } : snapshot
}

/** Actors of hosted logic within a workflow: each follows a nested run of the call, which has an id of its own. */
export class NestedActors implements RunsOfActors {
  readonly #host: NestingHost
  readonly #agent: AgentDefinition
  /** The runs of all other actors. */
  readonly #others: RunsOfActors
  readonly #followed = new WeakMap<AnyActorRef, Followed>()

  constructor(host: NestingHost, agent: AgentDefinition, others: RunsOfActors) {
    this.#host = host
    this.#agent = agent
    this.#others = others
  }

  create(self: AnyActorRef, prompt: Prompt, options: object): RunOfSnapshot {
    const call = runsAround(self)
    return call === undefined
      ? this.#others.create(self, prompt, options)
      : this.#begin(self, call, prompt, options)
  }

  #begin(self: AnyActorRef, call: RunsOfCall, prompt: Prompt, options: object): RunOfSnapshot {
    const followed = call.begin(this.#host, this.#agent, prompt, options)
    this.#followed.set(self, followed)
    const { spec, id: runId } = followed.run
    return { runId, children: {}, beginning: spec.started, awaiting: [] }
  }

  start(self: AnyActorRef, snapshot: HostedSnapshot): void {
    const followed = this.#followed.get(self)
    if (followed === undefined) return this.#others.start(self, snapshot)
    followed
      .end((event) => tell(self, { type: 'run.event', event }))
      .then(
        (result) => tell(self, { type: 'run.ended', result }),
        (error: unknown) => tell(self, { type: 'run.failed', error }),
      )
  }

  signal(self: AnyActorRef, signal: RunSignal): void {
    const followed = this.#followed.get(self)
    if (followed === undefined) return this.#others.signal(self, signal)
    this.#host
      .tell(followed.run.id, () => signal)
      .catch((error: unknown) => tell(self, { type: 'signal.refused', signal, error }))
  }

  /** The abort of the call stops the whole workflow, and decides what becomes of its runs. */
  stop(self: AnyActorRef): void {
    const followed = this.#followed.get(self)
    if (followed === undefined) return this.#others.stop(self)
    if (!followed.run.isLetGo) followed.run.cancel(stopReason)
  }

  childrenOf(self: AnyActorRef): HostedSnapshot['children'] {
    return this.#followed.has(self) ? {} : this.#others.childrenOf(self)
  }
}

function tell(self: AnyActorRef, event: AnyEventObject): void {
  if (statusOf(self) === 'active') self.send(event)
}
