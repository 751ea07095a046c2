/**
 * What an import of each subpath adds to a bundle, minified and gzipped, beside the packages that it needs. A limit
 * leaves about a tenth above the size of the day: growth is a decision, made here. Each subpath holds the reader of options
 * (1 kB), so that each can be used without the others.
 */
import { readFileSync } from 'node:fs'

const limits: Readonly<Record<string, string>> = {
  '.': '165 kB',
  './testing': '167 kB',
  './diagram': '8.6 kB',
  './inspector': '30 kB',
  './inspect-stately': '9.8 kB',
  './sqlite': '20 kB',
  './postgres': '19.8 kB',
  './restate': '108 kB',
  './provenance': '14.8 kB',
  './trustgraph': '5 kB',
  './ai-sdk': '19.4 kB',
  './a2a': '11 kB',
  './mcp': '18 kB',
  './http': '19.2 kB',
  './node-http': '5.6 kB',
  './view': '7.6 kB',
  './react': '11.9 kB',
  './otel': '7.8 kB',
}

/** Only subpaths that need Node may ask for it: a bundle of another one that does is an error. */
const builtins: Readonly<Record<string, readonly string[]>> = {
  './inspector': ['node:crypto', 'node:fs/promises', 'node:http', 'node:net'],
  './inspect-stately': ['node:crypto', 'node:http', 'node:net'],
  './sqlite': ['node:fs', 'node:path', 'node:timers/promises', 'node:worker_threads', 'node:zlib'],
  './node-http': ['node:http', 'node:https', 'node:stream', 'node:zlib'],
  './restate': ['node:crypto', 'node:http', 'node:http2', 'node:net'],
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

const oneAgent = { name: 'one agent alone', import: '{ createAgent }', limit: '130 kB' }

export default [...subpaths, ...subpaths.slice(0, 1).map((whole) => ({ ...whole, ...oneAgent }))]
