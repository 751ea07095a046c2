/** Paths of a machine by any generator, such as the shortest way to an end. Each runs on the real engine. */
import { getShortestPaths, type StatePath, type TraversalOptions } from '@xstate/graph'
import type { AnyStateMachine, SnapshotFrom } from 'xstate'
import { aFunction } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import { atOnce } from '../../runtime/user-function.ts'
import { graphSource } from '../graph/graph-source.ts'
import type { Stimulus } from '../graph/stimulus.ts'
import type { TestLogic, TestState } from '../graph/test-logic.ts'
import { machineModel } from '../graph/test-model.ts'
import { runFields, type RunOptions } from './cover-options.ts'
import { located, machinePath, type MachinePath } from './machine-path.ts'

/** The options of `testPaths`. */
export interface PathOptions<Machine extends AnyStateMachine = AnyStateMachine> extends RunOptions<Machine> {
  /** Default: `getShortestPaths` of `@xstate/graph`, which gives one path to each state. */
  readonly pathGenerator?: PathGenerator
  /** Only paths that end in such a state; the search does not go beyond. Default: all. */
  readonly toState?: (snapshot: SnapshotFrom<Machine>) => boolean
  /** The search does not go beyond such a state. Default: as `toState`. */
  readonly stopWhen?: (snapshot: SnapshotFrom<Machine>) => boolean
}

/** That of `@xstate/graph`, for the logic of a machine under test. */
export type PathGenerator = (
  logic: TestLogic,
  options: TraversalOptions<TestState, Stimulus, unknown>,
) => StatePath<TestState, Stimulus>[]

const fields: Fields<PathOptions> = {
  ...runFields,
  pathGenerator: optional(aFunction),
  toState: optional(aFunction),
  stopWhen: optional(aFunction),
}

/**
 * The paths of `machine` that a generator finds, for each input. The options are those of `coverMachine`. It throws as
 * `coverMachine` does, and for a generator that gives no path.
 */
export function testPaths<Machine extends AnyStateMachine>(
  machine: Machine,
  options: PathOptions<NoInfer<Machine>>,
): readonly MachinePath[]
export function testPaths(machine: AnyStateMachine, given: PathOptions): readonly MachinePath[] {
  const where = `testPaths("${machine.id}")`
  const options = readOptions<PathOptions>(given, where, fields)
  const { invariant, pathGenerator = getShortestPaths, toState, stopWhen } = options
  const source = graphSource(machine, options, where)
  const ends = {
    ...(toState && { toState: inState('toState', toState) }),
    ...(stopWhen && { stopWhen: inState('stopWhen', stopWhen) }),
  }
  const paths = Object.entries(options.inputs).flatMap(([inputName, input]) => {
    try {
      const { logic, model, traversal } = machineModel(source, input)
      const onTransitions = (): void => undefined
      const found = atOnce('pathGenerator of testPaths', pathGenerator(logic, { ...traversal, ...ends }))
      return found.map((path) =>
        machinePath(path, {
          source,
          model,
          input,
          inputName,
          invariant,
          interpreter: 'xstate',
          onTransitions,
        }),
      )
    } catch (cause) {
      throw located(cause, `with the input "${inputName}"`)
    }
  })
  if (paths.length === 0) throw new Error(`${where}: there is no such path.`)
  return paths
}

function inState(
  name: string,
  holds: (snapshot: TestState['snapshot']) => boolean,
): (state: TestState) => boolean {
  return ({ snapshot }) => atOnce(`${name} of testPaths`, holds(snapshot))
}
