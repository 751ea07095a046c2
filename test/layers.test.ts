/**
 * The directions of import: `drawing → view → kit → index → runtime → machines → actors → errors`. Every other folder of src/ is an optional
 * subpath, which may import any of these and is imported by none. Within a layer and within a subpath there are rooms, and
 * each room imports those above it in the list alone.
 */
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importsIn, readSources, type Import } from './support/imports.ts'

const layers = ['drawing', 'view', 'kit', 'index', 'runtime', 'machines', 'actors', 'errors']

/** By layer or subpath, its rooms: each may import those before it. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  errors: ['errors'],
  actors: [
    'actors/values',
    'actors/text',
    'actors/content',
    'actors/strict',
    'actors/schemas',
    'actors/remote',
    'actors',
    'actors/toolset',
    'actors/effects',
    'actors/charts',
    'actors/messages',
    'actors/models',
    'actors/openai/http',
    'actors/openai/failures',
    'actors/openai/shared',
    'actors/openai/chat',
    'actors/openai/responses',
    'actors/openai',
    'actors/deferred',
  ],
  machines: [
    'machines/contract',
    'machines/shared',
    'machines/compaction',
    'machines/decision',
    'machines/tool-call',
    'machines/delegation',
    'machines/completion',
    'machines/screening',
    'machines/loop/changes',
    'machines/loop',
    'machines/loop/states',
    'machines/selection',
    'machines/react',
    'machines/supervisor',
    'machines/router',
    'machines/plan-then-execute',
    'machines/fan-out',
    'machines/reflexion',
    'machines/debate',
    'machines/dispatch',
    'machines/meta-router',
    'machines/remote',
    'machines/remote-agent',
    'machines/custom',
    'machines/program',
  ],
  runtime: [
    'runtime',
    'runtime/handle',
    'runtime/options',
    'runtime/tenants',
    'runtime/definition',
    'runtime/program',
    'runtime/files',
    'runtime/journal',
    'runtime/journal/memory',
    'runtime/agents',
    'runtime/interpreter',
    'runtime/state/signals',
    'runtime/state/descent',
    'runtime/state/effects',
    'runtime/state',
    'runtime/replay',
    'runtime/watch',
    'runtime/trail',
    'runtime/engine/around',
    'runtime/engine/perform',
    'runtime/engine/effects',
    'runtime/engine',
    'runtime/run',
    'runtime/schedules',
    'runtime/nested',
    'runtime/ending',
    'runtime/health',
    'runtime/troupe/phases',
    'runtime/troupe',
    'runtime/dry',
    'runtime/create',
  ],
  kit: ['kit/sql', 'kit/wire', 'kit'],
  index: ['index'],
  'ai-sdk': ['ai-sdk/model', 'ai-sdk/agent', 'ai-sdk'],
  diagram: ['diagram/svg', 'diagram'],
  drawing: ['drawing/layers', 'drawing'],
  entry: ['entry'],
  http: [
    'http/access',
    'http/stream',
    'http/serving',
    'http/files',
    'http/troupe-wire',
    'http/ai-sdk-wire',
    'http/ag-ui-wire',
    'http',
  ],
  'inspect-stately': ['inspect-stately'],
  inspector: [
    'inspector/wire',
    'inspector/dry',
    'inspector/files',
    'inspector/story',
    'inspector/server',
    'inspector/recorded',
    'inspector/stored',
    'inspector/page/model',
    'inspector/page/connection',
    'inspector/page/shared',
    'inspector/page/search',
    'inspector/page/chart',
    'inspector/page/timeline',
    'inspector/page/tree',
    'inspector/page/actions',
    'inspector/page/list',
    'inspector/page/panels',
    'inspector/page/thread',
    'inspector/page/summary',
    'inspector/page/keys',
    'inspector/page/app',
    'inspector/page',
    'inspector/embed',
    'inspector',
    'inspector/cli',
  ],
  a2a: ['a2a/messages', 'a2a/card', 'a2a/tasks', 'a2a/push', 'a2a/server', 'a2a/client', 'a2a'],
  audit: ['audit'],
  cron: ['cron'],
  skills: ['skills'],
  recall: ['recall'],
  mastra: ['mastra'],
  'code-mode': ['code-mode/interpreter', 'code-mode'],
  mcp: ['mcp/elicitation', 'mcp/connection', 'mcp/tools', 'mcp/server', 'mcp'],
  moving: ['moving'],
  'node-http': ['node-http'],
  otel: ['otel'],
  provenance: ['provenance/rdf', 'provenance/trace', 'provenance/why', 'provenance'],
  postgres: ['postgres/connection', 'postgres/tables', 'postgres'],
  restate: [
    'restate/wire',
    'restate/account',
    'restate/deltas',
    'restate/worker',
    'restate/client',
    'restate',
  ],
  sealed: ['sealed'],
  standalone: ['standalone'],
  sqlite: ['sqlite/connection', 'sqlite/tables', 'sqlite/worker', 'sqlite'],
  testing: [
    'testing/chart',
    'testing/graph',
    'testing/cover',
    'testing/golden',
    'testing/time',
    'testing/models',
    'testing/contract',
    'testing/store-contract',
    'testing/evaluate',
    'testing/explore/world',
    'testing/explore/alphabet',
    'testing/explore/state',
    'testing/explore/rules',
    'testing/explore/search',
    'testing/explore/report',
    'testing/explore',
    'testing/lint',
    'testing',
  ],
  trustgraph: ['trustgraph'],
  react: ['react/source', 'react/shared', 'react'],
  view: ['view/lists', 'view/contract', 'view/changes', 'view/summary', 'view'],
}

const mostFiles = 24

/** The most lines of a file. */
const mostLines = 600

const sources = readSources(join(import.meta.dirname, '../src'))
const imports = importsIn(sources)

/** The folder of a file, or its name when it stands at the top. */
function areaOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : file.replace(/\.ts$/, '')
}

/** The folder of a file. A machine is one room with the folder of its name. */
function roomOf(file: string): string {
  const folder = file.slice(0, Math.max(0, file.lastIndexOf('/')))
  return folder === 'machines' || folder === '' ? file.replace(/\.ts$/, '') : folder
}

function isLayer(file: string): boolean {
  return layers.includes(areaOf(file))
}

function isOneWay({ file, target }: Import): boolean {
  if (target === undefined || areaOf(file) === areaOf(target)) return true
  if (!isLayer(target)) return false
  return !isLayer(file) || layers.indexOf(areaOf(file)) < layers.indexOf(areaOf(target))
}

function floorOf(file: string): number {
  return (rooms[areaOf(file)] ?? []).indexOf(roomOf(file))
}

function upstairs(all: readonly Import[]): string[] {
  return shown(
    all.filter(
      ({ file, target }) =>
        target !== undefined && areaOf(file) === areaOf(target) && floorOf(file) < floorOf(target),
    ),
  )
}

/** The files that `entry` loads, directly or not, also for types. */
function reachable(entry: string, all: Iterable<readonly [string, readonly Import[]]>): Set<string> {
  const below = new Map(all)
  const reached = new Set([entry])
  for (const file of reached) {
    for (const { target } of below.get(file) ?? []) if (target !== undefined) reached.add(target)
  }
  return reached
}

function cyclic(all: readonly Import[]): string[] {
  const below = Map.groupBy(all, ({ file }) => file)
  const known = new Map<string, Set<string>>()
  const from = (file: string): Set<string> => {
    const reached = known.get(file) ?? reachable(file, below)
    known.set(file, reached)
    return reached
  }
  return shown(all.filter(({ file, target }) => target !== undefined && from(target).has(file)))
}

function packageOf(specifier: string): string {
  return specifier.split('/')[0] ?? ''
}

/** As a failing test shows it. */
function shown(offending: readonly Import[]): string[] {
  return offending.map(({ file, specifier, kind }) => `${file} imports ${specifier} (${kind})`)
}

function wrongWay(all: readonly Import[]): string[] {
  return shown(all.filter((one) => !isOneWay(one)))
}

function impureMachines(all: readonly Import[]): string[] {
  return shown(
    all.filter(
      ({ file, specifier }) =>
        areaOf(file) === 'machines' && (isBuiltin(specifier) || packageOf(specifier) === 'openai'),
    ),
  )
}

function nodeOnly(all: readonly Import[]): string[] {
  const reached = reachable(
    'index.ts',
    Map.groupBy(all, ({ file }) => file),
  )
  return shown(all.filter(({ file, specifier }) => reached.has(file) && isBuiltin(specifier)))
}

function eagerClient(all: readonly Import[]): string[] {
  return shown(all.filter(({ specifier, kind }) => packageOf(specifier) === 'openai' && kind === 'static'))
}

function unreadable(all: readonly Import[], known: readonly string[]): string[] {
  return shown(
    all.filter(
      ({ specifier, target }) =>
        specifier === '(computed)' || (target !== undefined && !known.includes(target)),
    ),
  )
}

test('src has the layers that these rules are about', () => {
  expect(layers.filter((layer) => !Object.keys(sources).some((file) => areaOf(file) === layer))).toEqual([])
  expect(Object.keys(sources).filter((file) => !file.includes('/') && !isLayer(file))).toEqual([])
})

test('every import is a text that leads to a file or a package', () => {
  // The program loads the module that a person names.
  const own = imports.filter(({ file }) => file !== 'inspector/cli/command-sources.ts')
  expect(unreadable(own, Object.keys(sources))).toEqual([])
})

test('imports go one way, and nobody imports an optional subpath', () => {
  expect(wrongWay(imports)).toEqual([])
})

test('every file has a room, and every room is there', () => {
  const files = Object.keys(sources)
  expect(files.filter((file) => floorOf(file) < 0)).toEqual([])
  const known = Object.values(rooms).flat()
  expect(known.filter((room) => !files.some((file) => roomOf(file) === room))).toEqual([])
})

test('a room imports those before it alone', () => {
  expect(upstairs(imports)).toEqual([])
})

test(`no folder has more than ${mostFiles} files`, () => {
  const root = join(import.meta.dirname, '..')
  const folders = ['src', 'test', 'bench', 'scripts', 'examples'].flatMap((name) =>
    Object.keys(readSources(join(root, name))).map((file) => `${name}/${file}`.replace(/\/[^/]*$/, '')),
  )
  const full = [...new Set(folders)].filter(
    (folder) => folders.filter((one) => one === folder).length > mostFiles,
  )
  expect(full).toEqual([])
})

test(`no file has more than ${mostLines} lines`, () => {
  const long = Object.entries(sources).filter(([, text]) => text.split('\n').length > mostLines)
  expect(long.map(([file]) => file)).toEqual([])
})

test('machines import neither openai nor node', () => {
  expect(impureMachines(imports)).toEqual([])
})

test('what index.ts reaches imports nothing of node', () => {
  expect(nodeOnly(imports)).toEqual([])
})

/** What reads runs, and works for none. */
const readers = [
  'runtime/replay/',
  'runtime/watch/',
  'runtime/trail/',
  'restate/client/',
  'testing/explore/world/replayed.ts',
]

test('readers of a run never reach its engine, nor what performs effects', () => {
  const below = Map.groupBy(imports, ({ file }) => file)
  const reading = Object.keys(sources).filter((file) => readers.some((reader) => file.startsWith(reader)))
  expect(reading.length).toBeGreaterThan(readers.length)
  const reached = reading.flatMap((file) =>
    [...reachable(file, below)]
      .filter((one) => /^runtime\/engine\/(?!around\/)/.test(one))
      .map((one) => `${file} reaches ${one}`),
  )
  expect(reached).toEqual([])
})

/** Subpaths that an outsider could write: they stand on the package's own subpaths. */
const adapters = [
  'a2a',
  'ai-sdk',
  'audit',
  'code-mode',
  'cron',
  'drawing',
  'http',
  'inspect-stately',
  'inspector',
  'mastra',
  'mcp',
  'moving',
  'node-http',
  'otel',
  'postgres',
  'provenance',
  'react',
  'recall',
  'sealed',
  'skills',
  'sqlite',
  'trustgraph',
  'view',
]

test('adapters stand on the main module and the kit', () => {
  const offered = [
    'index.ts',
    'kit/index.ts',
    'kit/sql/index.ts',
    'kit/wire/index.ts',
    'kit/host.ts',
    'view/contract/run-view.ts',
    'view/next-view.ts',
    'view/summary/summary.ts',
  ]
  const inner = imports.filter(
    ({ file, target }) =>
      adapters.includes(areaOf(file)) &&
      target !== undefined &&
      areaOf(target) !== areaOf(file) &&
      !offered.includes(target) &&
      areaOf(target) !== 'drawing',
  )
  expect(shown(inner)).toEqual([])
})

/** How many names of the unstable `kit/host.ts` each of them takes. A number only falls; one that is not listed is 0. */
const unstableNames: Readonly<Record<string, number>> = {
  a2a: 20,
  'ai-sdk': 36,
  'code-mode': 14,
  http: 8,
  'inspect-stately': 9,
  inspector: 31,
  mcp: 12,
  provenance: 4,
}

test('adapters take no more names of the unstable kit than they took', () => {
  const taken = adapters.map((adapter) => {
    const files = Object.entries(sources).filter(([file]) => areaOf(file) === adapter)
    const names = files.flatMap(([, text]) =>
      [...text.matchAll(/(?:im|ex)port (?:type )?\{([^}]*)\} from '[./]+\/kit\/host\.ts'/g)].flatMap(
        ([, list = '']) =>
          list
            .split(',')
            .map((name) => name.trim().replace(/^type /, ''))
            .filter((name) => name !== ''),
      ),
    )
    return [adapter, new Set(names).size] as const
  })
  expect(Object.fromEntries(taken.filter(([, count]) => count > 0))).toEqual(unstableNames)
})

test('the openai client is imported dynamically or for its types', () => {
  expect(eagerClient(imports)).toEqual([])
})

test('the AI SDK is imported for its types alone', () => {
  const ofSdk = imports.filter(({ specifier }) => ['ai', '@ai-sdk'].includes(packageOf(specifier)))
  expect(ofSdk).not.toEqual([])
  expect(shown(ofSdk.filter(({ kind }) => kind !== 'type'))).toEqual([])
})

test('no file imports itself by way of others', () => {
  expect(cyclic(imports)).toEqual([])
})

test('the rules find what they forbid, in every form of import', () => {
  const all = importsIn({
    'index.ts': `export { run } from './runtime/run.ts'; export type { X } from './testing/x.ts'`,
    'errors.ts': `import './actors/tool.ts'`,
    'runtime/run.ts': `import { a } from '../machines/a.ts'; const fs = await import('node:fs')`,
    'machines/a.ts': `type Client = import('openai').OpenAI; export * from '../runtime/run.ts'; import 'path'`,
    'actors/tool.ts': `import { type OpenAI } from 'openai'; import type { O } from 'openai/resources'; import(name)`,
    'testing/x.ts': `import '../index.ts'; import './gone.ts'`,
  })
  expect(wrongWay(all)).toEqual([
    'index.ts imports ./testing/x.ts (type)',
    'errors.ts imports ./actors/tool.ts (static)',
    'machines/a.ts imports ../runtime/run.ts (static)',
  ])
  expect(impureMachines(all)).toEqual([
    'machines/a.ts imports openai (type)',
    'machines/a.ts imports path (static)',
  ])
  expect(nodeOnly(all)).toEqual([
    'runtime/run.ts imports node:fs (dynamic)',
    'machines/a.ts imports path (static)',
  ])
  expect(eagerClient(all)).toEqual(['actors/tool.ts imports openai (static)'])
  expect(cyclic(all)).toEqual([
    'index.ts imports ./testing/x.ts (type)',
    'runtime/run.ts imports ../machines/a.ts (static)',
    'machines/a.ts imports ../runtime/run.ts (static)',
    'testing/x.ts imports ../index.ts (static)',
  ])
  const within = importsIn({
    'runtime/run/live-run.ts': `import '../engine/engine.ts'; import './prompt.ts'`,
    'runtime/engine/engine.ts': `import type { Run } from '../run/live-run.ts'; import '../hall/x.ts'`,
  })
  expect(upstairs(within)).toEqual(['runtime/engine/engine.ts imports ../run/live-run.ts (type)'])
  expect(floorOf('runtime/hall/x.ts')).toBe(-1)
  expect(unreadable(all, Object.keys(sources))).toContain('testing/x.ts imports ./gone.ts (static)')
  expect(unreadable(all, Object.keys(sources))).toContain('actors/tool.ts imports (computed) (dynamic)')
})
