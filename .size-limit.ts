/**
 * What an import of each subpath adds to a bundle, minified and gzipped, beside the packages that it needs. A limit
 * leaves about a tenth above the size of the day: growth is a decision, made here. Each subpath holds the reader of options
 * (1 kB), so that each can be used without the others.
 */
import { readFileSync } from 'node:fs'

const limits: Readonly<Record<string, string>> = {
  '.': '245 kB',
  './testing': '284 kB', // `simulatedUser` defines an agent
  './diagram': '21.5 kB', // with the layout of charts
  './machines': '109 kB',
  './inspector': '246 kB', // with the engine and its charts: it draws runs by their record, and forks dry
  './inspect-stately': '10.8 kB',
  './sqlite': '28.5 kB',
  './postgres': '28.6 kB',
  './audit': '4 kB',
  './sealed': '13.2 kB',
  './moving': '9 kB',
  './cron': '2 kB',
  './code-mode': '190 kB', // `codeMode` defines an agent: it needs the engine, as `createAgent` does
  './skills': '15 kB',
  './recall': '6 kB',
  './restate': '174 kB', // its client reads runs by the agents on record: it has the charts of all patterns
  './provenance': '14.8 kB',
  './mastra': '239 kB', // `Agent` defines an agent: it needs the engine, as `createAgent` does
  './trustgraph': '5.6 kB',
  './ai-sdk': '23.5 kB',
  './a2a': '210 kB', // `remoteAgent` defines an agent: it needs the engine, as `createAgent` does
  './mcp': '30.2 kB',
  './http': '28.5 kB',
  './node-http': '5 kB',
  './view': '17.2 kB',
  './react': '10.6 kB',
  './otel': '10.4 kB',
  './kit': '220 kB', // `recordedTrail` needs the charts of all patterns
  './kit/sql': '11.3 kB',
  './kit/wire': '8 kB',
  './kit/host': '221 kB', // with the engine of dry forks
}

/** Only subpaths that need Node may ask for it: a bundle of another one that does is an error. */
const builtins: Readonly<Record<string, readonly string[]>> = {
  './inspector': ['node:crypto', 'node:fs/promises', 'node:http', 'node:net'],
  './inspect-stately': ['node:crypto', 'node:http', 'node:net'],
  './sqlite': [
    'node:fs',
    'node:path',
    'node:timers/promises',
    'node:url',
    'node:worker_threads',
    'node:zlib',
  ],
  './node-http': ['node:http', 'node:https', 'node:stream', 'node:zlib'],
  './code-mode': ['node:module', 'node:util', 'node:worker_threads'],
  './skills': ['node:crypto', 'node:fs', 'node:fs/promises', 'node:path'],
  './restate': ['node:crypto', 'node:http', 'node:http2', 'node:net'],
  './kit/host': ['node:crypto', 'node:net'],
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const packages = [manifest.name, ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })]

const subpaths = Object.entries(manifest.exports).flatMap(([subpath, target]) => {
  if (typeof target === 'string') return []
  const limit = limits[subpath]
  if (limit === undefined) throw new Error(`.size-limit.ts: "${subpath}" has no limit.`)
  return [
    {
      name: subpath.replace('.', manifest.name),
      path: target.default,
      import: '*',
      ignore: [...packages, ...(builtins[subpath] ?? [])],
      gzip: true,
      limit,
    },
  ]
})

const oneAgent = { name: 'one agent alone', import: '{ createAgent }', limit: '186 kB' }

export default [...subpaths, ...subpaths.slice(0, 1).map((whole) => ({ ...whole, ...oneAgent }))]
