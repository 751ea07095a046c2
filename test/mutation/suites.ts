/** The tests of each part of the sources, those that know it best first. */

/** A part of the sources, and the tests that are asked about its mutants. */
export interface Area {
  readonly name: string
  readonly kind: 'machine' | 'runtime'
  /** Files and folders of the sources. */
  readonly sources: readonly string[]
  /** The suites that are generated from the state graphs. */
  readonly generated: readonly string[]
  /** Hand-written tests. */
  readonly written: readonly string[]
}

const machine = (name: string, written: readonly string[], more: Partial<Area> = {}): Area => ({
  name,
  kind: 'machine',
  sources: [`src/machines/${name}.ts`, `src/machines/${name}/`],
  generated: [`test/machines/${name}.test.ts`],
  written,
  ...more,
})

const agents = 'test/behaviours/agents/'
const delegations = 'test/behaviours/delegation/'
const patterns = 'test/behaviours/patterns/'
const runs = 'test/behaviours/runs/'

export const areas: readonly Area[] = [
  {
    name: 'loop',
    kind: 'machine',
    sources: [
      'src/machines/loop/',
      'src/machines/supervisor.ts',
      'src/machines/react.ts',
      'src/machines/shared/',
    ],
    generated: ['test/machines/react.test.ts', 'test/machines/supervisor.test.ts'],
    written: [delegations, agents, runs, patterns],
  },
  machine('delegation', [delegations, runs, agents]),
  machine('tool-call', [agents, runs, 'test/durability/tool-states.test.ts']),
  machine('completion', [`${delegations}completion.test.ts`, runs, delegations]),
  machine('decision', [patterns, runs]),
  machine('router', [`${patterns}router.test.ts`, patterns, runs], {
    sources: ['src/machines/router.ts', 'src/machines/selection/'],
    generated: ['test/machines/router.test.ts', 'test/machines/dispatch.test.ts'],
  }),
  machine('dispatch', [`${patterns}dispatcher.test.ts`, patterns, runs]),
  machine('meta-router', [`${patterns}meta-router.test.ts`, patterns, runs]),
  machine('plan-then-execute', [
    `${patterns}planner.test.ts`,
    'test/properties/planner.test.ts',
    patterns,
    runs,
  ]),
  machine('fan-out', [`${patterns}fan-out.test.ts`, patterns, runs]),
  machine('debate', [`${patterns}debate.test.ts`, patterns, runs]),
  machine('reflexion', [`${patterns}reflexion.test.ts`, patterns, runs]),
  {
    name: 'runtime core',
    kind: 'runtime',
    sources: [
      'src/runtime/engine/',
      'src/runtime/journal/committer.ts',
      'src/runtime/journal/journal.ts',
      'src/runtime/run/live-run.ts',
      'src/runtime/handle/result.ts',
      'src/runtime/definition/handoffs.ts',
    ],
    generated: ['test/machines/react.test.ts', 'test/machines/delegation.test.ts'],
    written: [runs, delegations, agents, 'test/runtime/', 'test/durability/', 'test/properties/'],
  },
]
