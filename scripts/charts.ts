/**
 * Draws every machine into docs/design/charts/, and draws the overview of a machine between the marks `<!-- chart:<machine> -->`
 * and `<!-- /chart -->` of README.md and the pages of docs/. With `--check` it writes nothing and fails where a drawing is
 * not current.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toMermaid, toStateTable } from 'troupe/diagram'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { drawnMachines } from './machines.ts'

const root = join(import.meta.dirname, '..')
const charts = 'docs/design/charts'
/** A drawing of more arrows is cut into several. */
const mostArrows = 24

const machines = await drawnMachines()
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
    ...paragraph(machine.config.description),
    ...drawings(machine),
    '',
    '## States',
    '',
    'Every state with all its transitions. "stays" = handled here, no change of state; outer states do not get the event when',
    'the guard holds.',
    '',
    '<!-- prettier-ignore -->',
    toStateTable(machine),
  ].join('\n')
}

/** A machine with few arrows is one drawing. Any other is an overview, and a drawing of each composite state. */
function drawings(machine: AnyStateMachine): string[] {
  const whole = toMermaid(machine)
  if (arrowsIn(whole) <= mostArrows) {
    return ['', 'Drawn from the machine by `npm run charts`.', '', block(whole)]
  }
  const composites = statesOf(machine.root)
    .slice(1)
    .filter((state) => Object.keys(state.states).length > 0)
  return [
    '',
    'Drawn from the machine by `npm run charts`: first its main paths, then the inside of each composite state. The overview',
    'leaves out failures of children, loops, inner states, and ways between two states that any state leads to. No drawing',
    'shows transitions without a target. The table at the end has all transitions: it says which state handles an event',
    'differently from the states around. A thick border marks a final state of the overview, a dashed border a state outside.',
    '',
    '## Overview',
    '',
    block(overview(machine)),
    ...composites.flatMap(({ path, description }) => [
      '',
      `## ${path.join('.')}`,
      ...paragraph(description),
      '',
      block(toMermaid(machine, { inside: path.join('.'), depth: 1 })),
    ]),
  ]
}

function paragraph(text: string | undefined): string[] {
  return text === undefined ? [] : ['', text]
}

function overview(machine: AnyStateMachine): string {
  return toMermaid(machine, { depth: 1, overview: true })
}

function arrowsIn(drawing: string): number {
  return drawing.split('\n').filter((line) => line.includes('-->')).length
}

function statesOf(state: AnyStateNode): AnyStateNode[] {
  return [state, ...Object.values(state.states).flatMap(statesOf)]
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
      return [start, '', block(overview(machine)), '', end].join('\n')
    },
  )
}

function block(chart: string): string {
  return ['```mermaid', chart.trimEnd(), '```'].join('\n')
}

function read(path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined
}
