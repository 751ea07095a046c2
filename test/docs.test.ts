/** The reference tables of docs/ equal the source, the README stays short, and every link leads to a file and a heading. */
import { EventType } from '@ag-ui/core'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import {
  ConfigurationError,
  createAgent,
  createDebate,
  createDispatcher,
  createFanOut,
  createMetaRouter,
  createPlanner,
  createReflexion,
  createRouter,
  createScorer,
  createSupervisor,
  createTool,
  createTroupe,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { gauge } from '../src/otel/names.ts'
import { severities } from '../src/testing/lint/finding.ts'
import { readSources } from './support/imports.ts'
import { fieldsOf, interfacesOf, type Property } from './support/interfaces.ts'
import { anchorsIn, linksIn, tableAfter, type Row } from './support/markdown.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const options = read('docs/reference/options.md')
const events = read('docs/reference/events.md')
const errors = read('docs/reference/errors.md')
const readme = read('README.md')

/** `<!-- interface Name: file -->` stands before the table of its fields. */
const marks = [...`${options}\n${events}`.matchAll(/<!-- interface (\w+): (\S+) -->/g)].map(
  ([mark, name = '', file = '']) => ({ mark, name, file }),
)
const tableOf = (mark: string): Row[] => tableAfter(`${options}\n${events}`, mark)
const namesOf = (name: string): string[] =>
  tableOf(marks.find((marked) => marked.name === name)?.mark ?? name).map(([cell]) => plain(cell))
const plain = (cell = ''): string => cell.replaceAll('`', '')

describe('the tables of fields', () => {
  test.for(marks)('$name', ({ mark, name, file }) => {
    // A table has the fields of an interface alone, or with those that it extends.
    const [own, properties] = [false, true].map(
      (inherited) => interfacesOf(join(root, file), { inherited })[name] ?? [],
    ) as [readonly Property[], readonly Property[]]
    const named = (list: readonly Property[]) =>
      [...new Set(list.map((property) => property.name))].toSorted()
    expect([named(own), named(properties)]).toContainEqual(namesOf(name).toSorted())
    expect(properties.length).toBeGreaterThan(0)
    for (const [field, ...cells] of tableOf(mark)) {
      expect(cells.at(-1), `${field} is explained`).not.toBe('')
    }
  })

  test.for(marks.filter(({ mark }) => options.includes(mark)))(
    'the defaults of $name',
    ({ mark, name, file }) => {
      const properties = interfacesOf(join(root, file))[name] ?? []
      for (const cells of tableOf(mark).filter((row) => row.length === 3)) {
        const property = properties.find((candidate) => candidate.name === plain(cells[0]))
        const [, told] = /\bdefault:? (?:is )?(.*?)(?:\.(?:\s|$)|$)/i.exec(property?.doc ?? '') ?? []
        const expected = property?.isOptional === true ? (told ?? undefined) : 'required'
        if (expected === undefined) continue // the source tells none
        expect(expected, `${name}.${plain(cells[0])} has this default in the source`).toMatch(
          startingWith(cells[1]),
        )
      }
    },
  )

  test('every interface of options that users see has one', () => {
    const exported = ['src/index.ts', 'src/testing/index.ts', 'src/sqlite/index.ts', 'src/diagram/index.ts']
      .concat('src/inspect-stately/index.ts', 'src/provenance/index.ts', 'src/trustgraph/index.ts')
      .concat('src/react/index.ts', 'src/ai-sdk/index.ts', 'src/mcp/index.ts', 'src/a2a/index.ts')
      .concat('src/inspector/index.ts', 'src/http/index.ts', 'src/mastra/index.ts')
      .flatMap((file) => exportedTypes(read(file)))
    const isOfOptions = (name: string): boolean =>
      /(Options|Settings|Config|Task|Processor)$/.test(name) && !notTables.includes(name)
    expect(exported.filter(isOfOptions).filter((name) => !marks.some((mark) => mark.name === name))).toEqual(
      [],
    )
  })
})

test('the port of a store has twenty-nine methods at most, and its page has each', () => {
  const interfaces = Object.assign(
    {},
    ...[
      'journal/store',
      'journal/memory-storage',
      'journal/config-storage',
      'files/blob-storage',
      'tenants/ledger-storage',
    ].map((file) => interfacesOf(join(root, `src/runtime/${file}.ts`))),
  ) as ReturnType<typeof interfacesOf>
  const ports = {
    RunStore: 'runs',
    Store: 'runs',
    MemoryStorage: 'memory',
    ConfigStorage: 'config',
    BlobStorage: 'blobs',
    LedgerStorage: 'ledger',
  }
  const methods = Object.entries(ports).flatMap(([name, port]) =>
    (interfaces[name] ?? [])
      .filter(({ type }) => type === undefined)
      .map((method) => `${port} ${method.name}${method.isOptional ? '?' : ''}`),
  )
  const page = tableAfter(read('docs/test/store-contract.md'), '## The port of a store')
  expect(page.map(([port, method]) => plain(`${port} ${method}`)).toSorted()).toEqual(methods.toSorted())
  expect(methods.length).toBeLessThanOrEqual(29)
})

/** Made of tables that are there, or handed to what users write. */
const notTables = [
  'LooseToolConfig',
  'TypedToolConfig',
  'MastraModelConfig',
  'AgentConfig',
  'SupervisorConfig',
  'RouterConfig',
  'DispatcherConfig',
  'DispatcherOptions',
  'PlannerConfig',
  'FanOutConfig',
  'MetaRouterConfig',
  'MetaRouterOptions',
  'ReflexionConfig',
  'ReflexionOptions',
  'DebateConfig',
  'DebateOptions',
  'ModelCallOptions',
  'McpCallOptions',
  'ReplayModelOptions',
  'RemoteRunOptions',
  'CensusOptions',
]

describe('the options that are known', () => {
  const model = scriptedModel([], { otherwise: 'Hello.' })
  const solo = createAgent({ id: 'solo', instructions: '', model })
  const lead = createSupervisor({ id: 'lead', instructions: '', model })
  const bad: object = { bogus: true }
  const scorers = [createScorer({ id: 'good', score: () => 1 })]
  const execute = (): null => null
  const tool = { id: 'tool', description: 'Does.', inputSchema: z.object({}), execute }
  const definition = [...namesOf('Identity'), ...namesOf('HandoffOptions'), ...namesOf('AgentOptions')]

  test.for<[string, () => unknown, string[]]>([
    ['createAgent', () => createAgent({ id: 'a', instructions: '', model, ...bad }), definition],
    [
      'createSupervisor',
      () => createSupervisor({ id: 'a', instructions: '', model, ...bad }),
      [...definition, ...namesOf('SupervisorOptions'), 'agents'],
    ],
    ['a run', () => solo.stream('Go', bad), [...namesOf('AgentOptions'), ...namesOf('CallOptions')]],
    [
      'a run of a supervisor',
      () => lead.stream('Go', bad),
      [...namesOf('AgentOptions'), ...namesOf('SupervisorOptions'), ...namesOf('CallOptions')],
    ],
    ['delegation', () => lead.stream('Go', { delegation: bad }), namesOf('DelegationOptions')],
    [
      'completion',
      () => lead.stream('Go', { completion: { scorers, ...bad } }),
      namesOf('CompletionOptions'),
    ],
    ['memory', () => lead.stream('Go', { memory: bad }), namesOf('MemoryOptions')],
    ['createTool', () => createTool({ ...tool, ...bad }), namesOf('ToolConfig')],
    ['createScorer', () => createScorer({ id: 's', score: () => 1, ...bad }), namesOf('ScorerConfig')],
    ['createTroupe', () => createTroupe({ agents: [solo], ...bad }), namesOf('TroupeConfig')],
  ])('of %s', ([, misuse, documented]) => {
    const [, known = ''] = /there is no option "bogus"\. Known: (.*)\.$/.exec(messageOf(misuse)) ?? []
    // `memory` stands in two tables: a definition may have a function, and a run its value.
    expect([...new Set(documented)].toSorted()).toEqual(known.split(', ').toSorted())
  })
})

describe('the options of the other patterns', () => {
  const config: object = { id: 'a', instructions: '', model: scriptedModel([]), bogus: true }
  const made: Readonly<Record<string, (config: never) => unknown>> = {
    createRouter,
    createDispatcher,
    createPlanner,
    createFanOut,
    createMetaRouter,
    createReflexion,
    createDebate,
  }
  const rows = tableAfter(options, '## Other patterns')
  const listed = (cell = ''): string[] => plain(cell).split(', ').filter(Boolean)
  /** The memory is an option of a run, and may be a part of a definition. */
  const isPart = (name: string): boolean => name !== 'memory'
  /** What it is made of is no option of a run. */
  const parts = [...namesOf('Identity').filter(isPart), 'agents', 'taskTypes', 'patterns']

  test('are those of all of them', () => {
    expect(rows.map(([name]) => plain(name))).toEqual(Object.keys(made))
  })

  test.for(rows)('%s', ([name, takes, refuses]) => {
    const message = messageOf(() => made[plain(name)]?.(config as never))
    const [, known = ''] = /there is no option "bogus"\. Known: (.*)\.$/.exec(message) ?? []
    const common = namesOf('AgentOptions').filter((option) => !listed(refuses).includes(option))
    expect(listed(refuses).length).toBe(namesOf('AgentOptions').length - common.length)
    expect(
      known
        .split(', ')
        .filter((option) => !parts.includes(option))
        .toSorted(),
    ).toEqual([...common, ...listed(takes)].toSorted())
  })
})

test('the page about the kit lists the names of each of its modules, and no other', () => {
  const page = read('docs/reference/kit.md')
  const [kit = '', ...others] = page.split(/^## (?=`troupe\/kit\/)/m)
  const modules = [
    ['index.ts', kit.slice(kit.indexOf('\n## '))],
    ...['sql', 'wire'].map((name) => [
      `${name}/index.ts`,
      others.find((chapter) => chapter.startsWith(`\`troupe/kit/${name}\``)) ?? '',
    ]),
  ] as const
  for (const [file, chapter] of modules) {
    const lists = read(`src/kit/${file}`).matchAll(/export (?:type )?\{([^}]*)\} from/g)
    const names = [...lists].flatMap(([, list = '']) => list.match(/\w+(?=,|\s*$)/g) ?? [])
    const listed = chapter
      .split('\n')
      .slice(1)
      .filter((line) => line.startsWith('`'))
      .flatMap((line) => line.match(/\w+/g) ?? [])
    expect(names.length).toBeGreaterThan(20)
    expect([file, ...listed.toSorted()]).toEqual([file, ...names.toSorted()])
  }
})

describe('the table of events', () => {
  const file = join(root, 'src/machines/contract/events.ts')
  const interfaces = {
    ...interfacesOf(join(root, 'src/machines/contract/records.ts')),
    ...interfacesOf(join(root, 'src/machines/contract/sayings.ts')),
    ...interfacesOf(join(root, 'src/machines/contract/plan.ts')),
    ...interfacesOf(join(root, 'src/machines/contract/handoff-chain.ts')),
    ...interfacesOf(file, { inherited: true }),
  }
  const rows = tableAfter(events, '<!-- events: src/machines/contract/events.ts -->')

  test('has every type', () => {
    const types = interfaces['EventPayloads']?.map(({ name }) => name)
    expect(rows.map(([type]) => plain(type)).toSorted()).toEqual(types?.toSorted())
  })

  test.for(rows)('%s has its payload', ([type, payload]) => {
    const property = interfaces['EventPayloads']?.find(({ name }) => name === plain(type))
    const fields = fieldsOf(property?.type, interfaces).filter((field) => field !== 'none')
    expect(plain(payload).split(', ').filter(Boolean).toSorted()).toEqual(fields.toSorted())
  })
})

describe('the tables of errors', () => {
  test('have every class', () => {
    const exported = [...read('src/errors.ts').matchAll(/^export class (\w+) extends/gm)].map(
      ([, name = '']) => name,
    )
    const rows = tableAfter(errors, '<!-- classes: src/errors.ts -->')
    expect(rows.map(([name]) => plain(name)).toSorted()).toEqual(exported.toSorted())
  })

  test('have every code of the source, and no other', () => {
    const classes = read('src/errors.ts')
    const union = read('src/errors/codes.ts')
    const sources = Object.entries({
      ...readSources(join(root, 'src')),
      'errors.ts': classes,
      'errors/codes.ts': '',
    })
    const problems = new Set([
      ...unionIn('src/runtime/problem-codes.ts', 'ProblemCode'),
      ...unionIn('src/runtime/health/health.ts', 'HealthCode'),
    ])
    const isError = (code: string): boolean => !problems.has(code) || union.includes(`'${code}'`)
    const codes = new Set(sources.flatMap(([file, source]) => codesIn(file, source)).filter(isError))
    expect([...union.matchAll(/'([A-Z_]+)'/g)].map(([, code = '']) => code).toSorted()).toEqual(
      [...codes].toSorted(),
    )
    const documented = new Set([...errors.matchAll(/`([A-Z][A-Z_]{3,})`/g)].map(([, code = '']) => code))
    expect([...documented].toSorted()).toEqual([...codes].toSorted())
  })
})

describe('the tables of problems', () => {
  const page = read('docs/reference/problems.md')
  const rows = page.split('\n').flatMap((line) => {
    const [, code, where] = /^\| `([A-Z_]+)` +\| `(\w+)`/.exec(line) ?? []
    return code === undefined || where === undefined ? [] : [[code, where] as const]
  })
  const placesOf = Object.fromEntries(rows)
  const reports = Object.entries(readSources(join(root, 'src'))).flatMap(([file, source]) =>
    reportsIn(file, source),
  )

  test('have every code once, and no other', () => {
    const codes = unionIn('src/runtime/problem-codes.ts', 'ProblemCode')
    expect(rows.map(([code]) => code).toSorted()).toEqual(codes.toSorted())
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('have the code of each place that reports, with its `where`', () => {
    expect(reports.length).toBeGreaterThan(60)
    expect(reports.filter(({ code }) => code === undefined)).toEqual([])
    for (const { code, where, file } of reports) {
      if (code !== '') expect([file, code, placesOf[code ?? '']]).toEqual([file, code, where])
    }
  })

  test('have no code that nothing reports', () => {
    const sources = Object.entries(readSources(join(root, 'src')))
    const others = sources.filter(([file]) => file !== 'runtime/problem-codes.ts')
    const used = new Set(others.flatMap(([file, source]) => codesIn(file, source)))
    expect(rows.map(([code]) => code).filter((code) => !used.has(code))).toEqual([])
  })
})

/** The literals that are handed to a reporter. `code` is `''` where it is not a text there, and absent where there is none. */
function reportsIn(
  file: string,
  source: string,
): { file: string; where: string; code: string | undefined }[] {
  const found: { file: string; where: string; code: string | undefined }[] = []
  new Visitor({
    ObjectExpression({ properties }) {
      const values = new Map(
        properties.flatMap((property) =>
          property.type === 'Property' && property.key.type === 'Identifier'
            ? [[property.key.name, property.value.type === 'Literal' ? property.value.value : '']]
            : [],
        ),
      )
      const where = values.get('where')
      if (typeof where !== 'string' || where === '' || !values.has('message') || !values.has('error')) return
      const code = values.get('code')
      found.push({ file, where, code: typeof code === 'string' ? code : undefined })
    },
  }).visit(parseSync(file, source).program)
  return found
}

test('the table of gauges has every gauge', () => {
  const rows = tableAfter(read('docs/run/otel.md'), '<!-- gauges: src/otel/names.ts -->')
  expect(rows.map(([name]) => plain(name)).toSorted()).toEqual(Object.values(gauge).toSorted())
})

test('the table of health has every code', () => {
  const rows = tableAfter(read('docs/run/health.md'), '<!-- health: src/runtime/health/health.ts -->')
  const codes = unionIn('src/runtime/health/health.ts', 'HealthCode')
  expect(rows.map(([code]) => plain(code)).toSorted()).toEqual(codes.toSorted())
})

test('the table of findings has every code of lint with its severity', () => {
  const rows = tableAfter(read('docs/test/lint.md'), '<!-- findings: src/testing/lint/finding.ts -->')
  expect(rows.map(([code, severity]) => [plain(code), severity])).toEqual(Object.entries(severities))
})

test('the guide has every reason', () => {
  const guide = read('docs/guide/results-and-events.md')
  for (const name of ['ExhaustedReason', 'StoppedReason']) {
    const reasons = unionIn('src/machines/contract/records.ts', name)
    expect(reasons.length).toBeGreaterThan(1)
    for (const reason of reasons) expect(guide).toContain(`\`${reason}\``)
  }
})

test('the guide has every outcome', () => {
  const outcomes = unionIn('src/machines/contract/records.ts', 'Outcome')
  const rows = tableAfter(read('docs/guide/results-and-events.md'), '## Results')
  expect(rows.map(([name]) => plain(name)).toSorted()).toEqual([...outcomes, 'suspended'].toSorted())
  const delegation = read('docs/guide/delegation.md')
  for (const outcome of unionIn('src/machines/contract/records.ts', 'DelegationOutcome')) {
    expect(delegation).toContain(`\`${outcome}\``)
  }
})

test('the README is short', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(250)
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(12_000)
})

const inFolder = (folder: string): string[] =>
  globSync(`${folder}/**/*.md`, { cwd: root, exclude: ['**/.next'] })

/** Charts and decisions have lists of their own. */
const pagesForUsers = inFolder('docs').filter(
  (path) => path !== 'docs/README.md' && !path.startsWith('docs/design/'),
)

test('the map of the documentation lists every page once', () => {
  const listed = linksIn(read('docs/README.md')).map(({ target }) => join('docs', target))
  expect(listed.filter((path) => pagesForUsers.includes(path)).toSorted()).toEqual(pagesForUsers.toSorted())
})

test.for(pagesForUsers)('%s opens with two sentences', (page) => {
  const [, opening = ''] = read(page).split('\n\n')
  expect(opening).not.toMatch(/^(#|\||```|<!--|- )/)
  expect(opening.split(/[.:?](?:\s|$)/).filter(Boolean).length).toBeGreaterThanOrEqual(2)
})

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...['docs', 'examples', 'bench', '.changeset'].flatMap(inFolder),
]

test.for(pages)('the links of %s lead somewhere', (page) => {
  const broken = linksIn(read(page)).filter(({ target }) => {
    if (/^https?:/.test(target)) return false
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(root, file))) return true
    return anchor !== undefined && !anchorsIn(read(file)).includes(anchor)
  })
  expect(broken).toEqual([])
})

test.for(['src', 'test', 'bench', 'scripts'])('the pages that code in %s names are there', (folder) => {
  const named = Object.entries(readSources(join(root, folder))).flatMap(([file, source]) =>
    [...source.matchAll(/\bdocs\/[\w/-]+\.md(?:#([\w-]+))?/g)].map(([target, anchor]) => ({
      file,
      target,
      anchor,
    })),
  )
  expect(named.length).toBeGreaterThan(0)
  const broken = named.filter(({ target, anchor }) => {
    const [path = ''] = target.split('#')
    return !existsSync(join(root, path)) || (anchor !== undefined && !anchorsIn(read(path)).includes(anchor))
  })
  expect(broken).toEqual([])
})

function startingWith(cell = ''): RegExp {
  return new RegExp(`^${cell.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`)
}

function messageOf(misuse: () => unknown): string {
  try {
    misuse()
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
  return 'nothing was thrown'
}

function exportedTypes(source: string): string[] {
  return [...source.matchAll(/export type \{([^}]*)\}/g), ...source.matchAll(/type (\w+) \}/g)].flatMap(
    ([, names = '']) => names.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
  )
}

/** Texts in capitals that are no codes of errors. */
const notCodes = [
  'HMAC', // the algorithm of signatures
  ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_LOG', 'BEGIN', 'COMMIT', 'ROLLBACK', 'DESC', 'PATCH'],
  ['POST', 'DELETE', 'HEAD', 'DENY', 'NODE_ENV', 'STORE_', 'REFUSED', 'JSON', 'SIGINT', 'SIGTERM'],
  // of the network, and of the package of MCP clients
  ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'EPIPE', 'ECONNRESET'],
  ['ERR_WORKER_OUT_OF_MEMORY', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'UND_ERR_SOCKET'],
  ['REQUEST_TIMEOUT', 'NOT_CONNECTED', 'CONNECTION_CLOSED', 'SEND_FAILED'],
  Object.values<string>(EventType),
  // methods of HTTP
  ['HEAD', 'POST', 'DELETE'],
  ['JSONRPC'],
  // a form of Unicode
  ['NFKC'],
].flat()

function codesIn(file: string, source: string): string[] {
  const found: string[] = []
  new Visitor({
    Literal({ value }) {
      if (typeof value === 'string' && /^[A-Z][A-Z_]{3,}$/.test(value) && !notCodes.includes(value)) {
        found.push(value)
      }
    },
  }).visit(parseSync(file, source).program)
  return found
}

/** The members of a union of texts. */
function unionIn(file: string, name: string): string[] {
  const [, union = ''] =
    new RegExp(`export type ${name} =([^\\n]*(?:\\n {2}[^\\n]*)*)`).exec(read(file)) ?? []
  return [...union.matchAll(/'(\w+)'/g)].map(([, member = '']) => member)
}
