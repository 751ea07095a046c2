/**
 * An agent as actor logic for somebody else's machine: `invoke`, `spawnChild` or `useActor` in any XState app, in that
 * app's own actor system, on its clock, before its inspector. It persists the run id alone and is restored from the
 * journal; stopping it cancels the run.
 */
import type { ActorLogic, AnyActorRef, AnyEventObject, Snapshot } from 'xstate'
import type { Prompt } from '../actors/message.ts'
import { hasDoor } from '../actors/effect.ts'
import { clockOf, inspectorOf, statusOf } from '../actors/xstate-internals.ts'
import { RunNotFoundError, RunOwnedError, toErrorData, type ErrorData } from '../errors.ts'
import type { Clock } from './clock.ts'
import type { Core } from './core.ts'
import type { Beginning } from './beginning.ts'
import type { AgentDefinition } from './definition.ts'
import type { RunEvent } from './event-log.ts'
import { hasEnded, type RunStarted } from './journal.ts'
import { LiveRun } from './live-run.ts'
import type { AwaitedSignal } from '../machines/events.ts'
import type { CallOptions } from './options.ts'
import type { FinalResult } from './result.ts'
import type { RunHost } from './run-host.ts'
import { transitionRun, type RunSnapshot } from './run-logic.ts'
import type { RunSignal } from './run.ts'

/** A prompt, and beside it any option of a run. */
export type HostedInput<Options extends object> = { readonly prompt: Prompt } & Options & CallOptions

/** An answer that the run does not wait for. */
export interface SignalRefused {
  readonly type: 'signal-refused'
  readonly signal: RunSignal
  readonly error: ErrorData
}

export type HostedSnapshot<Object = unknown> = RunSnapshot<FinalResult<Object>> & {
  /** What people are waited for, if only they can go on. */
  readonly awaiting: readonly AwaitedSignal[]
  /** Set until the beginning of the run is on record. */
  readonly beginning: RunStarted | undefined
}

/** Takes `approve`, `deny`, `resume` and `cancel` as events, emits the events of the run, and is done with its result. */
export type HostedLogic<Options extends object = object, Object = unknown> = ActorLogic<
  HostedSnapshot<Object>,
  RunSignal,
  HostedInput<Options>,
  // oxlint-disable-next-line typescript/no-explicit-any -- as XState has it: any system may host it
  any,
  RunEvent | SignalRefused
>

/** What a restored actor may be told before its run is back. */
type Early = { readonly signals: RunSignal[]; isStopped: boolean }

export function hostedLogic(core: Core, agent: AgentDefinition, hasOwnClock: boolean): HostedLogic {
  core.assertKnown(agent)
  const runs = new WeakMap<AnyActorRef, LiveRun>()
  const restoring = new WeakMap<AnyActorRef, Early>()

  const host = (self: AnyActorRef): RunHost => {
    const inspect = core.inspect ?? inspectorOf(self)
    return Object.create(core, {
      clock: { value: clock(self) },
      inspect: { value: inspect },
      entered: { value: core.entered.bind(core) },
      left: { value: core.left.bind(core) },
    }) as RunHost
  }
  const clock = (self: AnyActorRef): Clock => (hasOwnClock ? core.clock : clockOf(self))

  const enter = (self: AnyActorRef, beginning: Beginning, lease?: LiveRun['lease']): LiveRun => {
    const run = new LiveRun(host(self), { ...beginning, root: self }, lease)
    runs.set(self, run)
    return run
  }

  /** Passes on what happens, and the end last. */
  const follow = async (self: AnyActorRef, { run }: LiveRun): Promise<void> => {
    for await (const event of run.events) tell(self, { type: 'run.event', event })
    tell(self, { type: 'run.ended', result: await run.result })
  }

  const restore = async (self: AnyActorRef, { runId, beginning }: HostedSnapshot): Promise<void> => {
    const journal = await core.store.read(runId)
    let run: LiveRun
    if (journal !== undefined) {
      const lease = hasEnded(journal) ? undefined : await claim(core, runId)
      run = enter(self, core.beginAgain(journal, {}), lease)
      tell(self, { type: 'run.restored', children: { [run.agent.id]: run.agent } })
      run.resume((await core.store.read(runId)) ?? journal)
    } else if (beginning !== undefined) {
      run = enter(self, { started: beginning, functions: {} })
      tell(self, { type: 'run.restored', children: { [run.agent.id]: run.agent } })
      run.start()
    } else throw new RunNotFoundError(runId)
    const early = restoring.get(self)
    restoring.delete(self)
    for (const signal of early?.signals ?? []) tell(self, signal)
    if (early?.isStopped === true) run.signal({ type: 'cancel', reason: 'The actor of the run was stopped.' })
    await follow(self, run)
  }

  return {
    getInitialSnapshot: ({ self }, { prompt, ...options }) => {
      const beginning = core.begin(agent, prompt, options, true, clock(self))
      const run = enter(self, beginning)
      return {
        status: 'active',
        output: undefined,
        error: undefined,
        runId: run.id,
        children: { [run.agent.id]: run.agent },
        awaiting: [],
        beginning: beginning.started,
      }
    },
    restoreSnapshot: (persisted) => ({ ...(persisted as HostedSnapshot), children: {}, awaiting: [] }),
    start: (snapshot, { self }) => {
      if (snapshot.status !== 'active') return
      const run = runs.get(self)
      if (run === undefined) {
        restoring.set(self, { signals: [], isStopped: false })
        // Not inside `start`: what a replay starts must not be started by the one who restores us.
        queueMicrotask(() => {
          restore(self, snapshot).catch((error: unknown) => tell(self, { type: 'run.failed', error }))
        })
        return
      }
      run.start()
      void follow(self, run)
    },
    transition: (snapshot, event: AnyEventObject, { self, emit }) => {
      switch (event.type) {
        case 'run.event': {
          const happened = event['event'] as RunEvent
          emit(happened)
          return noticed(snapshot, happened)
        }
        case 'run.restored':
          return { ...snapshot, children: event['children'] as HostedSnapshot['children'] }
        case 'run.failed':
          return { ...snapshot, status: 'error', error: event['error'], output: undefined }
        case 'approve':
        case 'deny':
        case 'resume':
        case 'cancel': {
          const signal = event as RunSignal
          const early = restoring.get(self)
          if (early !== undefined) early.signals.push(signal)
          else answer(runs.get(self), signal, emit)
          return snapshot
        }
        case 'xstate.stop': {
          const early = restoring.get(self)
          if (early !== undefined) {
            early.isStopped = true
            return { ...snapshot, status: 'stopped', output: undefined, error: undefined }
          }
          return transitionRun(snapshot, event, self)
        }
        default:
          return hasDoor(self) ? transitionRun(snapshot, event, self) : snapshot
      }
    },
    getPersistedSnapshot: ({ status, runId, output, error, beginning }) =>
      ({ status, runId, output, error, ...(beginning && { beginning }) }) as object as Snapshot<unknown>,
  }
}

function noticed(snapshot: HostedSnapshot, event: RunEvent): HostedSnapshot {
  if (event.type === 'run-start') return { ...snapshot, beginning: undefined }
  if (event.type === 'suspended') return { ...snapshot, awaiting: event.payload.awaiting }
  return event.type === 'resumed' ? { ...snapshot, awaiting: [] } : snapshot
}

function answer(run: LiveRun | undefined, signal: RunSignal, emit: (event: SignalRefused) => void): void {
  try {
    run?.signal(signal)
  } catch (error) {
    emit({ type: 'signal-refused', signal, error: toErrorData(error) })
  }
}

function tell(self: AnyActorRef, event: AnyEventObject): void {
  if (statusOf(self) === 'active') self.send(event)
}

/** The process that had the run may have ended just now: its lease runs out. */
async function claim(core: Core, runId: string): Promise<LiveRun['lease']> {
  for (;;) {
    try {
      return await core.claim(runId)
    } catch (error) {
      if (!(error instanceof RunOwnedError)) throw error
      await new Promise((resolve) => setTimeout(resolve, core.keeper.pollInterval))
    }
  }
}
