/** An engine that replays a run: it performs and appends nothing, and has the result when the end of the run is delivered. */
import type { InspectionEvent } from 'xstate'
import type { RunRegistry } from '../agents/run-registry.ts'
import { systemClock } from '../clock.ts'
import { Engine } from '../engine/engine.ts'
import { resultOf } from '../state/run-results.ts'
import type { FinalResult } from '../handle/result.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import type { RunStarted } from '../journal/journal.ts'
import type { Reporter } from '../report.ts'

export interface ReplayEngineOptions {
  readonly inspect?: ((event: InspectionEvent) => void) | undefined
  readonly report?: Reporter | undefined
  /** Default: by tables. */
  readonly interpreter?: InterpreterName | undefined
}

export interface ReplayedRun {
  readonly engine: Engine
  /** Absent until the end of the run is delivered. */
  result: FinalResult | undefined
}

export function replayEngine(
  registry: RunRegistry,
  started: RunStarted,
  { inspect, report, interpreter }: ReplayEngineOptions,
): ReplayedRun {
  const engine: Engine = new Engine({
    registry,
    clock: systemClock,
    started,
    functions: {},
    interpreter,
    ...(inspect === undefined ? {} : { inspect }),
    ...(report === undefined ? {} : { report }),
    listener: {
      onSettled(output) {
        run.result = resultOf(engine, output)
        engine.root.send({ type: 'run.ended', result: run.result })
      },
    },
  })
  const run: ReplayedRun = { engine, result: undefined }
  return run
}
