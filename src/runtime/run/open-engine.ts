/** Opens the engine of a run with the parts of its troupe. */
import type { RunAgentParts } from '../agents/run-parts.ts'
import type { AsyncContext } from '../async-context.ts'
import type { Clock } from '../clock.ts'
import { Engine } from '../engine/engine.ts'
import { RunState } from '../state/run-state.ts'
import type { EngineListener } from '../engine/engine-options.ts'
import type { RunHolder } from '../files/blob-storage.ts'
import { blobsOfRun, memoryOfRun } from '../journal/memory-of-run.ts'
import { PromptFiles } from '../files/prompt-files.ts'
import type { EventLog } from '../handle/event-log.ts'
import type { Lease } from '../journal/store.ts'
import type { Reporter } from '../report.ts'
import type { RunSpec } from './create-run.ts'
import type { RunHost } from './run-host.ts'

interface OpeningRun extends EngineListener {
  readonly id: string
  readonly isIdChosen: boolean
  readonly agentParts: RunAgentParts
  readonly eventLog: EventLog
  readonly clock: Clock
  readonly hookTimeout: number
  readonly context: AsyncContext
  readonly report: Reporter
}

interface Opening {
  readonly host: RunHost
  readonly spec: RunSpec
  readonly lease: Lease
  readonly isResumed: boolean
}

export function openEngine(run: OpeningRun, { host, spec, lease, isResumed }: Opening): Engine {
  const { committer, door, environment, interpreter, keeper, observers, store } = host
  const { started, registry, functions, blobs, hosting } = spec
  const { inspect } = hosting ?? host
  const { agentParts, clock, context, hookTimeout: timeout, id: runId, isIdChosen, report } = run
  const holder: RunHolder = { runId, isStored: true }
  const { blobs: storage, memory } = store
  const state = new RunState({
    registry,
    started,
    log: run.eventLog,
    report,
    inspect,
    interpreter,
    root: hosting?.root,
  })
  return new Engine(state, {
    committer,
    environment,
    clock,
    context,
    functions,
    lease,
    isResumed,
    epoch: host.epochs.current,
    ownership: keeper,
    memory: memory && memoryOfRun(memory, runId, store),
    ...(blobs === undefined
      ? {}
      : { promptFiles: new PromptFiles({ holder, isIdChosen, blobs, storage, clock, timeout, report }) }),
    ...(storage === undefined ? {} : { blobs: blobsOfRun(storage, store, runId) }),
    config: store.config,
    agentParts,
    nest: host.nest,
    ...(host.tenants === undefined ? {} : { tenants: host.tenants.desk(started.resourceId, lease) }),
    observers,
    onDrift: host.onDrift,
    ...(door === undefined ? {} : { perform: door, performKeepsDeadlines: true }),
    listener: run,
  })
}
