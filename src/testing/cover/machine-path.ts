/** One path of a model, which runs on the real engine: each state of the run must be the one that the graph predicts. */
import type { StatePath } from '@xstate/graph'
import type { AnyMachineSnapshot } from 'xstate'
import { toErrorData } from '../../errors.ts'
import type { InterpreterName } from '../../runtime/interpreter/interpreter.ts'
import { askUser, whatever } from '../../runtime/user-function.ts'
import type { GraphSource } from '../graph/graph-source.ts'
import type { StateKey } from '../graph/graph-options.ts'
import { keyIn, type MachineModel } from '../graph/test-model.ts'
import type { Stimulus } from '../graph/stimulus.ts'
import { liveIds } from '../graph/stub-children.ts'
import type { TestState } from '../graph/test-logic.ts'
import type { RunOptions } from './cover-options.ts'
import { MachineRun } from './machine-run.ts'

/** A path through a machine, as a test. */
export interface MachinePath {
  /** The input and the stimuli, readable as the name of a test. */
  readonly name: string
  /** Runs the path on the real engine. Rejects where the run differs from the graph, or its replay from the run. */
  run(): Promise<void>
}

interface PathContext {
  readonly source: GraphSource
  readonly model: MachineModel['model']
  readonly input: unknown
  readonly inputName: string
  readonly invariant: RunOptions['invariant']
  readonly interpreter: InterpreterName
  readonly onTransitions: (transitions: readonly unknown[]) => void
}

export function machinePath(path: StatePath<TestState, Stimulus>, context: PathContext): MachinePath {
  const names = path.steps.slice(1).map(({ event }) => event.name)
  return { name: [context.inputName, ...names].join(' → '), run: () => runPath(path, context) }
}

async function runPath(path: StatePath<TestState, Stimulus>, context: PathContext): Promise<void> {
  const { source, model, input, inputName, invariant, interpreter, onTransitions } = context
  const keyOf = keyIn(source.options)
  const taken: string[] = []
  try {
    const run = new MachineRun({ machine: source.machine, input, interpreter, onTransitions })
    await run.drain()
    const apply = ({ event }: { readonly event: object }): Promise<void> =>
      asStep(async () => {
        const stimulus = event as Stimulus
        taken.push(stimulus.name)
        await run.apply(stimulus)
      })
    const check = (expected: TestState): Promise<void> =>
      asStep(async () => {
        compare(expected, run.snapshot, keyOf)
        if (invariant !== undefined)
          await askUser('invariant of a path', () => invariant(run.snapshot, taken), whatever)
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

async function asStep(run: () => Promise<void>): Promise<void> {
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
