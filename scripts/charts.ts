/**
 * Draws every machine into docs/design/charts/, and draws a machine at depth 1 between the marks `<!-- chart:<machine> -->`
 * and `<!-- /chart -->` of README.md and the pages of docs/. With `--check` it writes nothing and fails where a drawing is
 * not current.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toMermaid } from 'troupe/diagram'
import type { AnyStateMachine } from 'xstate'
import { allMachines } from './machines.ts'

const root = join(import.meta.dirname, '..')
const charts = 'docs/design/charts'

const machines = await allMachines()
const files = new Map<string, string>([
  ...machines.map((machine) => [`${charts}/${machine.id}.md`, chartPage(machine)] as const),
  ...pagesWithMarks().map((path) => [path, withCharts(path)] as const),
])

const outdated = [...files].filter(([path, content]) => read(path) !== content).map(([path]) => path)
const leftOver = (existsSync(join(root, charts)) ? readdirSync(join(root, charts)) : [])
  .map((name) => `${charts}/${name}`)
  .filter((path) => !files.has(path))
const stale = [...outdated, ...leftOver]

if (!process.argv.includes('--check')) {
  mkdirSync(join(root, charts), { recursive: true })
  for (const path of leftOver) rmSync(join(root, path))
  for (const path of outdated) writeFileSync(join(root, path), files.get(path) ?? '')
  console.log(stale.length === 0 ? 'The charts were current.' : `Wrote ${stale.join(', ')}.`)
} else if (stale.length > 0) {
  console.error(`Not current: ${stale.join(', ')}. Run "npm run charts".`)
  process.exitCode = 1
} else {
  console.log(`${machines.length} charts are current.`)
}

function chartPage(machine: AnyStateMachine): string {
  return [
    `# ${machine.id}`,
    '',
    ...(machine.config.description === undefined ? [] : [machine.config.description, '']),
    'Drawn from the machine by `npm run charts`.',
    '',
    block(toMermaid(machine)),
    '',
  ].join('\n')
}

function pagesWithMarks(): string[] {
  const pages = readdirSync(join(root, 'docs'), { encoding: 'utf8', recursive: true }).map((path) =>
    join('docs', path),
  )
  return ['README.md', ...pages].filter(
    (path) => path.endsWith('.md') && read(path)?.includes('<!-- chart:') === true,
  )
}

function withCharts(path: string): string {
  return (read(path) ?? '').replaceAll(
    /(<!-- chart:([\w-]+) -->).*?(<!-- \/chart -->)/gs,
    (_, start: string, id: string, end: string) => {
      const machine = machines.find((one) => one.id === id)
      if (machine === undefined)
        throw new Error(`${path} has a place for a chart of "${id}", which is no machine.`)
      return [start, '', block(toMermaid(machine, { depth: 1 })), '', end].join('\n')
    },
  )
}

function block(chart: string): string {
  return ['```mermaid', chart.trimEnd(), '```'].join('\n')
}

function read(path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined
}
