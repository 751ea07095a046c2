/** Runs one path of a model on the real engine, and compares each state of the run with the one that the graph predicts. */
import type { StatePath } from '@xstate/graph'
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import { toErrorData } from '../../errors.ts'
import type { StateKey } from '../graph/graph-options.ts'
import type { Stimulus } from '../graph/stimulus.ts'
import { liveIds } from '../graph/stub-children.ts'
import type { TestState } from '../graph/test-logic.ts'
import type { MachineModel } from '../graph/test-model.ts'
import { MachineRun } from './machine-run.ts'
import type { TransitionRecorder } from './transition-coverage.ts'

export interface PathContext {
  readonly model: MachineModel['model']
  /** Stubbed: all its children are effects. */
  readonly machine: AnyStateMachine
  readonly input: unknown
  readonly inputName: string
  readonly recorder: TransitionRecorder
  readonly keyOf: StateKey
  readonly invariant: ((snapshot: AnyMachineSnapshot, steps: readonly string[]) => void) | undefined
}

export type ModelPath = StatePath<TestState, Stimulus>

/** Rejects where the run differs from the path, or its replay from the run. */
export async function runPath(path: ModelPath, context: PathContext): Promise<void> {
  const { model, machine, input, inputName, recorder, keyOf, invariant } = context
  const taken: string[] = []
  try {
    const run = new MachineRun(machine, input, (transitions) => recorder.take(transitions))
    await run.drain()
    const apply = ({ event }: { readonly event: object }): Promise<void> =>
      asStep(async () => {
        const stimulus = event as Stimulus
        taken.push(stimulus.name)
        await run.apply(stimulus)
      })
    const check = (expected: TestState): Promise<void> =>
      asStep(() => {
        compare(expected, run.snapshot, keyOf)
        invariant?.(run.snapshot, taken)
      })
    await model.testPath(path, { events: { outcome: apply, event: apply }, states: { '*': check } })
    await run.replay()
  } catch (error) {
    const cause = error instanceof StepFailure ? error.cause : error
    throw located(cause, `at ${[inputName, ...taken].join(' → ')}`)
  }
}

/** The cause is the failure of the step. A test model writes the whole path into the message of the error that it passes on. */
class StepFailure extends Error {}

async function asStep(run: () => void | Promise<void>): Promise<void> {
  try {
    await run()
  } catch (cause) {
    throw new StepFailure('', { cause })
  }
}

/** An error with the message of `cause`, and where it occurred. */
export function located(cause: unknown, where: string): Error {
  return new Error(`${toErrorData(cause).message}\n${where}`, { cause })
}

function compare(expected: TestState, actual: AnyMachineSnapshot, keyOf: StateKey): void {
  if (actual.status === 'error') {
    throw new Error(`The machine is in error: ${toErrorData(actual.error).message}`, { cause: actual.error })
  }
  const live = liveIds(actual)
  if (actual.status === 'active') differ('live children', expected.live.join(', '), live.join(', '))
  else if (actual.output === undefined && 'output' in actual.machine.config) {
    throw new Error('The machine ended without the output that it declares.')
  }
  differ('state', expected.key, keyOf(actual, actual.status === 'active' ? live : expected.live))
}

function differ(what: string, expected: string, actual: string): void {
  if (expected !== actual) {
    throw new Error(`Other ${what} than expected.\nexpected: ${expected}\nactual:   ${actual}`)
  }
}
