/** The exploration of a machine that is no agent: its children are replaced by their outcomes. */
import type { AnyMachineSnapshot, AnyStateMachine, InputFrom, SnapshotFrom } from 'xstate'
import { heard } from '../../runtime/state/agent-logic.ts'
import { protocolVersion, type RunStarted } from '../../runtime/journal/journal.ts'
import { atOnce } from '../../runtime/user-function.ts'
import { ValueTexts } from '../chart/value-text.ts'
import { graphSource, graphFields, type GraphSource } from '../graph/graph-source.ts'
import { liveIds } from '../graph/stub-children.ts'
import { exploreStates } from './exploring.ts'
import { stepsDiagram } from './report/diagram.ts'
import type { ExploreReport } from './report/report.ts'
import { machineRules } from './rules/built-in.ts'
import { SnapshotMonitor } from './rules/snapshot-monitor.ts'
import { machineSnapshot } from './world/machine-snapshot.ts'
import { machineChoices } from './search/machine-choices.ts'
import type { Choice } from './world/choice.ts'
import { machineRoot } from '../cover/machine-run.ts'
import type { Subject } from './world/subject.ts'
import { World } from './world/world.ts'
import { aBoolean, anything, is, recordOf } from '../../actors/strict/checks.ts'
import { isObject, optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import type { GraphOptions, StateKey } from '../graph/graph-options.ts'
import type { ConditionRule } from './rules/user-rules.ts'

const defaultStates = 20_000

const started: RunStarted = {
  type: 'run.started',
  at: 0,
  protocol: protocolVersion,
  runId: 'explored',
  agent: 'machine',
  task: '',
  history: [],
  settings: { hooks: [] },
  stream: false,
}

export async function exploreMachine(
  machine: AnyStateMachine,
  options: MachineExploreOptions,
): Promise<ExploreReport<string>> {
  const where = `explore("${machine.id}")`
  const read: Omit<MachineExploreOptions, 'input'> & { readonly input?: unknown } = readMachineExplore(
    options,
    where,
  )
  const { input, crash, rules, ...graph } = read
  const source = graphSource(machine, graph, where)
  const subject = subjectOf(source, input)
  const monitor = new SnapshotMonitor(rules ?? {})
  const keyOf = graph.stateKey ?? wholeKey
  return exploreStates(
    {
      subject,
      space: {
        create: () => new WatchedWorld(subject, monitor),
        prepare: () => Promise.resolve(),
        choicesOf: (world) => machineChoices(world, source),
        keyOf: (run) => {
          const snapshot = machineSnapshot(run)
          return atOnce(
            'stateKey of explore',
            keyOf(snapshot, snapshot.status === 'active' ? liveIds(snapshot) : []),
          )
        },
        kindOf: (world, key) => kindOf(world, key, source),
        restOf: (world) => restOf(machineSnapshot(world)),
      },
      rules: machineRules,
      monitor,
      states: graph.limit ?? defaultStates,
      crashes: crash !== false,
      ends: Object.values(machine.root.states).some(({ type }) => type === 'final'),
      rechecked: undefined,
    },
    (_world, path, end) =>
      stepsDiagram(
        machine.id,
        path.map(({ label }) => label),
        end,
      ),
    () => ({ unsaid: [], functionCalls: 0 }),
  )
}

/** The options of `explore` for a machine that is no agent. */
export interface MachineExploreOptions<
  Machine extends AnyStateMachine = AnyStateMachine,
> extends GraphOptions<Machine> {
  /** The input of the machine. Default: none. */
  readonly input?: InputFrom<Machine>
  /**
   * The key of a state. Default: value, status, ids of the live children, and the whole context: a machine whose context
   * grows without end needs a key of its own.
   */
  readonly stateKey?: StateKey<Machine>
  /** Whether the process may end, at any state: the journal must then lead to the same run. Default: `true`. */
  readonly crash?: boolean
  /** Rules over the snapshots of the machine, by name: `never`, `always`, `sometimes`, `eventually`. */
  readonly rules?: Readonly<Record<string, ConditionRule<SnapshotFrom<Machine>>>>
}

const kinds: ReadonlySet<unknown> = new Set(['never', 'always', 'sometimes', 'eventually'])

const rule = is(
  'a rule, from never(), always(), sometimes() or eventually()',
  (given) => isObject(given) && kinds.has(Reflect.get(given, 'kind')),
)

const fields: Fields<MachineExploreOptions> = {
  ...graphFields,
  input: optional(anything),
  crash: optional(aBoolean),
  rules: optional(recordOf(rule, 'an object of rules by name')),
}

/** Throws a `ConfigurationError`. */
function readMachineExplore(given: object, where: string): MachineExploreOptions {
  return readOptions<MachineExploreOptions>(given, where, fields)
}

// The key of a machine's state: everything on which its next steps can depend.

/** `live`: the ids of the children that may still report. */
function wholeKey(
  { value, status, context, historyValue }: AnyMachineSnapshot,
  live: readonly string[],
): string {
  const history = Object.entries(historyValue).map(([id, nodes]) => [id, nodes.map((node) => node.id)])
  return JSON.stringify([value, status, live, history]) + new ValueTexts().of(context)
}

function subjectOf({ machine }: GraphSource, input: unknown): Subject {
  return {
    started,
    registry: new Map(),
    functions: {},
    // Its events are no events of a run.
    rootLogic: machineRoot(heard(machine, { listener: () => undefined }), input),
  }
}

/** The monitor sees the state after each choice, also in a world that is rebuilt. */
class WatchedWorld extends World {
  readonly #monitor: SnapshotMonitor

  constructor(subject: Subject, monitor: SnapshotMonitor) {
    super(subject)
    this.#monitor = monitor
    monitor.note(this)
  }

  override apply(choice: Choice): void {
    super.apply(choice)
    this.#monitor.note(this)
  }
}

/** A child that calls models counts as a model call. */
function kindOf({ state }: World, key: string, { sources }: GraphSource): string {
  const effect = state.effects.effectOf(key)
  const { src } = effect?.request.ref ?? {}
  return typeof src === 'string' && sources.get(src)?.callsModels === true ? 'model' : 'child'
}

/** The final state in which a machine has ended. */
function restOf({ status, value }: AnyMachineSnapshot): string | undefined {
  if (status === 'error') return 'error'
  if (status !== 'done') return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}
