/** The tests of each part of the sources, those that know it best first. */

/** A part of the sources, and the tests that are asked about its mutants. */
export interface Area {
  readonly name: string
  readonly kind: 'machine' | 'runtime'
  /** Files and folders of the sources. */
  readonly sources: readonly string[]
  /** Machines whose golden graphs show the sources. */
  readonly goldens: readonly string[]
  /** The suites that are generated from the state graphs, and the explorations. */
  readonly generated: Rounds
  /** Hand-written tests and properties. */
  readonly written: Rounds
  /** Tests that start processes or servers: they take minutes. */
  readonly processes: Rounds
}

/** Files and folders of tests, in the order in which they are asked: a later round only where the earlier ones pass. */
export type Rounds = readonly (readonly string[])[]

const agents = 'test/behaviours/agents/'
const delegations = 'test/behaviours/delegation/'
const patterns = 'test/behaviours/patterns/'
const runs = 'test/behaviours/runs/'
const explorations = 'test/testing/explore/scenarios/'
const provenance = 'test/provenance/'
const properties = 'test/properties/'
const durability = 'test/durability/'

const behaviours = [agents, delegations, patterns, runs]
const inOneProcess = ['interruptions', 'time-travel', 'timers', 'tool-states'].map(
  (name) => `${durability}${name}.test.ts`,
)
const last = [provenance, properties, ...inOneProcess]

/** `soonest`: the hand-written tests that know the machine best. */
const machine = (name: string, soonest: readonly string[], more: Partial<Area> = {}): Area => ({
  name,
  kind: 'machine',
  sources: [`src/machines/${name}.ts`, `src/machines/${name}/`],
  goldens: [name],
  generated: [[`test/machines/${name}.test.ts`], [explorations]],
  written: [soonest, behaviours, last],
  processes: [],
  ...more,
})

const pattern = (name: string, more: Partial<Area> = {}): Area =>
  machine(name, [`${patterns}${name}.test.ts`], more)

export const areas: readonly Area[] = [
  machine('loop', ['test/machines/loop/', delegations], {
    sources: [
      'src/machines/loop/',
      'src/machines/supervisor.ts',
      'src/machines/react.ts',
      'src/machines/shared/',
    ],
    goldens: [
      'react',
      'supervisor',
      'meta-router',
      'dispatch',
      'router',
      'fan-out',
      'debate',
      'plan-then-execute',
      'reflexion',
    ],
    generated: [
      ['test/machines/react.test.ts', 'test/machines/supervisor.test.ts', 'test/machines/endings.test.ts'],
      [explorations],
    ],
  }),
  machine('delegation', [delegations]),
  machine('tool-call', [agents, ...inOneProcess]),
  machine('completion', [`${delegations}completion.test.ts`]),
  machine('decision', [`${patterns}router.test.ts`, `${patterns}planner.test.ts`]),
  pattern('router', {
    sources: ['src/machines/router.ts', 'src/machines/selection/'],
    goldens: ['router', 'dispatch'],
    generated: [['test/machines/router.test.ts', 'test/machines/dispatch.test.ts'], [explorations]],
  }),
  machine('dispatch', [`${patterns}dispatcher.test.ts`, 'test/machines/cancelled-dispatch.test.ts']),
  machine('meta-router', [`${patterns}meta-router.test.ts`, 'test/machines/cancelled-dispatch.test.ts']),
  machine('plan-then-execute', [`${patterns}planner.test.ts`]),
  pattern('fan-out'),
  pattern('debate'),
  pattern('reflexion'),
  {
    name: 'runtime core',
    kind: 'runtime',
    sources: [
      'src/runtime/engine/',
      'src/runtime/state/',
      'src/runtime/journal/committer.ts',
      'src/runtime/journal/journal.ts',
      'src/runtime/run/live-run.ts',
      'src/runtime/handle/result.ts',
      'src/runtime/definition/handoffs.ts',
    ],
    goldens: [],
    generated: [['test/machines/delegation.test.ts'], ['test/testing/'], ['test/machines/react.test.ts']],
    written: [
      ['test/runtime/', runs],
      [agents, delegations, patterns, 'test/behaviours/hosted/'],
      [...inOneProcess, `${durability}leases/`, `${durability}signals/`],
      [provenance, properties],
    ],
    processes: [
      [`${durability}sqlite-processes.test.ts`, `${durability}crashes/`, `${durability}told/`],
      ['test/restate/'],
    ],
  },
]
