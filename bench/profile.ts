/**
 * Where the time of a run goes: reads the newest profile that `node --cpu-prof` left in a folder and adds up the
 * samples by part of the library. Time in a built-in function counts for the code that called it. README.md says how.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** The first pattern that fits a file names its part. */
const parts: readonly (readonly [part: string, file: RegExp])[] = [
  ['charts: XState', /node_modules\/xstate\//],
  ['charts: our guards and actions', /src\/machines\//],
  ['digests', /src\/.*(digest|append-log)\.ts/],
  [
    'effect door',
    /src\/(actors\/(effect|xstate-internals)|runtime\/(actor-source|engine\/(effects\/pending-effect|agent-logic|run-logic)))\.ts/,
  ],
  ['journal', /src\/runtime\/journal\//],
  ['events', /src\/runtime\/(handle\/event-(log|recorder)|engine\/safe-observers)\.ts/],
  ['driver of the openai client', /src\/actors\/openai\//],
  ['openai client', /node_modules\/openai\//],
  ["node's HTTP", /^node:(net$|internal\/(deps\/undici|(web)?streams|stream_base))/],
  [
    'performing: replies and arguments checked',
    /src\/runtime\/engine\/perform\/|src\/actors\/|node_modules\/zod\//,
  ],
  ['engine, set-up and result of a run', /src\/runtime\//],
]

function main(folder: string | undefined): void {
  if (folder === undefined) throw new Error('Usage: node bench/profile.ts <folder of a .cpuprofile>')
  const files = readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'))
  const newest = files.toSorted().at(-1)
  if (newest === undefined) throw new Error(`There is no .cpuprofile in ${folder}.`)
  const shares = sharesOf(JSON.parse(readFileSync(join(folder, newest), 'utf8')) as Profile)
  const total = [...shares.values()].reduce((sum, time) => sum + time, 0)
  const rows = [...shares].toSorted(([, a], [, b]) => b - a)
  console.table(rows.map(([part, time]) => ({ part, '%': ((100 * time) / total).toFixed(1) })))
}

function sharesOf({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map<number, ProfileNode>()
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node)
  const shares = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const part = partOf(byId.get(id), parents)
    if (part !== undefined) shares.set(part, (shares.get(part) ?? 0) + (timeDeltas[index] ?? 0))
  }
  return shares
}

function partOf(
  sampled: ProfileNode | undefined,
  parents: ReadonlyMap<number, ProfileNode>,
): string | undefined {
  if (sampled?.callFrame.functionName === '(garbage collector)') return 'garbage collection'
  for (let node = sampled; node !== undefined; node = parents.get(node.id)) {
    const { url } = node.callFrame
    const known = parts.find(([, file]) => file.test(url))
    if (known !== undefined) return known[0]
  }
  return undefined // node itself, the bench, idle time
}

main(process.argv[2])
