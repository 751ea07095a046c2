/**
 * Draws every machine into docs/design/charts/, and puts drawings between marks of README.md and the pages of docs/: that of
 * a machine between `<!-- chart:<machine> -->` and `<!-- /chart -->`, and one of `drawings.ts` between
 * `<!-- drawing:<name> -->` and `<!-- /drawing -->`. Each drawing is there in light and dark. With `--check` it writes nothing
 * and fails where a drawing is not current.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { toStateTable, toSvg, type SvgOptions } from 'troupe/diagram'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { drawings } from './drawings.ts'
import { drawnMachines } from './machines.ts'

const root = join(import.meta.dirname, '..')
/** The folders that hold nothing else. */
const charts = 'docs/design/charts'
const pictures = 'docs/images/drawings'

const machines = await drawnMachines()
const drawn = await drawings()
const files = new Map<string, string>([
  ...machines.map((machine) => [`${charts}/${machine.id}.md`, chartPage(machine)] as const),
  ...machines.flatMap((machine) =>
    insidesOf(machine).flatMap((inside) => svgFiles(chartPath(machine, inside), machine, inside)),
  ),
  ...drawn.flatMap(({ name, subject }) => svgFiles(`${pictures}/${name}`, subject)),
  ...pagesWithMarks().map((path) => [path, withDrawings(path)] as const),
])

const outdated = [...files].filter(([path, content]) => read(path) !== content).map(([path]) => path)
const leftOver = [charts, pictures]
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .filter((path) => !files.has(path))
const stale = [...outdated, ...leftOver]

if (!process.argv.includes('--check')) {
  for (const folder of [charts, pictures]) mkdirSync(join(root, folder), { recursive: true })
  for (const path of leftOver) rmSync(join(root, path))
  for (const path of outdated) writeFileSync(join(root, path), files.get(path) ?? '')
  console.log(stale.length === 0 ? 'The charts were current.' : `Wrote ${stale.length} files.`)
} else if (stale.length > 0) {
  const more = stale.length > 8 ? ` and ${stale.length - 8} more` : ''
  console.error(`Not current: ${stale.slice(0, 8).join(', ')}${more}. Run "npm run charts".`)
  process.exitCode = 1
} else {
  console.log(`${machines.length} charts are current.`)
}

function chartPage(machine: AnyStateMachine): string {
  return [
    `# ${machine.id}`,
    ...paragraph(machine.config.description),
    ...insides(machine),
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

/** The outermost states, and the inside of each composite state. */
function insides(machine: AnyStateMachine): string[] {
  const [, ...composites] = insidesOf(machine)
  const whole = picture(`${charts}/x`, chartPath(machine), `The states of ${machine.id}`)
  const first = [
    '',
    'Drawn from the machine by `npm run charts`. A state with a shadow has states inside; a rounded one is final; a dashed one is',
    'outside. The table at the end has all transitions, also those that change no state.',
    '',
    whole,
  ]
  return [
    ...first,
    ...composites.flatMap((inside) => [
      '',
      `## ${inside}`,
      ...paragraph(stateAt(machine, inside)?.description),
      '',
      picture(`${charts}/x`, chartPath(machine, inside), `The states of ${inside}`),
    ]),
  ]
}

function insidesOf(machine: AnyStateMachine): readonly [undefined, ...string[]] {
  const composites = statesOf(machine.root)
    .slice(1)
    .filter((state) => Object.keys(state.states).length > 0)
  return [undefined, ...composites.map(({ path }) => path.join('.'))]
}

function stateAt(machine: AnyStateMachine, path: string): AnyStateNode | undefined {
  return statesOf(machine.root).find((state) => state.path.join('.') === path)
}

function chartPath({ id }: AnyStateMachine, inside?: string): string {
  return `${charts}/${inside === undefined ? id : `${id}.${inside}`}`
}

function svgFiles(
  path: string,
  subject: Parameters<typeof toSvg>[0],
  inside?: string,
): readonly (readonly [string, string])[] {
  const options: SvgOptions = inside === undefined ? {} : { inside }
  return (['light', 'dark'] as const).map((theme) => [
    `${path}-${theme}.svg`,
    toSvg(subject, { ...options, theme }),
  ])
}

/** The drawing at `path` on a page, as a page of GitHub shows it in light and in dark. */
function picture(page: string, path: string, text: string): string {
  const source = relative(dirname(page), path)
  return [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="${source}-dark.svg">`,
    `  <img alt="${text}" src="${source}-light.svg">`,
    '</picture>',
  ].join('\n')
}

function paragraph(text: string | undefined): string[] {
  return text === undefined ? [] : ['', text]
}

function statesOf(state: AnyStateNode): AnyStateNode[] {
  return [state, ...Object.values(state.states).flatMap(statesOf)]
}

function pagesWithMarks(): string[] {
  const pages = readdirSync(join(root, 'docs'), { encoding: 'utf8', recursive: true }).map((path) =>
    join('docs', path),
  )
  return ['README.md', ...pages].filter(
    (path) => path.endsWith('.md') && /<!-- (chart|drawing):/.test(read(path) ?? ''),
  )
}

function withDrawings(path: string): string {
  return (read(path) ?? '').replaceAll(
    /(<!-- (chart|drawing):([\w-]+) -->).*?(<!-- \/\2 -->)/gs,
    (_, start: string, kind: string, name: string, end: string) => {
      const shown = kind === 'chart' ? machineNamed(path, name) : drawingNamed(path, name)
      return [start, '', picture(path, shown.path, shown.text), '', end].join('\n')
    },
  )
}

interface Shown {
  readonly path: string
  readonly text: string
}

function machineNamed(page: string, id: string): Shown {
  const machine = machines.find((one) => one.id === id)
  if (machine === undefined)
    throw new Error(`${page} has a place for a chart of "${id}", which is no machine.`)
  return { path: chartPath(machine), text: `The states of ${id}` }
}

function drawingNamed(page: string, name: string): Shown {
  const drawing = drawn.find((one) => one.name === name)
  if (drawing === undefined) throw new Error(`${page} has a place for "${name}", which is not drawn.`)
  return { path: `${pictures}/${name}`, text: drawing.text }
}

function read(path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined
}
