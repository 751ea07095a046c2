/**
 * A chart as a drawing: its outermost states, or the inside of one of them, with every arrow between them. Labels have room of
 * their own in the layout. Where they are too wide, they are numbers, and a list says what these mean.
 */
import type { Chart } from '../../actors/charts/chart.ts'
import { wrong } from '../../actors/strict/read-options.ts'
import { ChartIndex } from '../../drawing/chart-index.ts'
import { diagramOf, type Diagram, type DiagramEdge, type DiagramNode } from '../../drawing/diagram.ts'
import type { Box, Size } from '../../drawing/layers/geometry.ts'
import { layoutOf, type Direction, type Layout, type PlacedEdge } from '../../drawing/layout.ts'
import { boxAt, lineAlong, seen, svgOf, textAt, textFrom, titled } from './sheet.ts'
import type { Gaps } from '../../drawing/layers/layered.ts'
import { fitted, textWidth, titleSize, wrapped } from './text-width.ts'
import { themes, type Colours, type Theme } from './themes.ts'

interface MachineDrawing {
  readonly theme: Theme
  readonly width: number
  /** The path of a composite state. */
  readonly inside: string | undefined
}

const lineHeight = 15
const padding = 10
const widestNode = 190
const margin = 10
const nameFont = { size: titleSize, isBold: true }
/** Lines of a label; what has no place is counted. */
const mostLines = 6

export function machineSvg(chart: Chart, { theme, width, inside }: MachineDrawing): string {
  const index = new ChartIndex(chart)
  const path = inside ?? ''
  const state = index.state(path)
  if (state === undefined || (path !== '' && state.states.length === 0))
    throw wrong(inside, 'toSvg: inside', `the path of a composite state of ${seen(chart.id)}`)
  const diagram = diagramOf(index, path, true)
  const name = path === '' ? chart.id : `${path} of ${chart.id}`
  return drawn(bestOf(diagram, width - 2 * margin), seen(name), themes[theme])
}

// Labels of edges.

interface Labels {
  /** The lines of each label, by the id of its edge. */
  readonly lines: ReadonlyMap<string, readonly string[]>
  /** The lines of the list that says what numbers mean. */
  readonly legend: readonly string[]
}

function edgesOf(diagram: Diagram): readonly DiagramEdge[] {
  return [diagram, ...diagram.regions].flatMap(({ edges }) => edges)
}

function textsOf({ transitions }: DiagramEdge): readonly string[] {
  return [...new Set(transitions.map(({ text }) => seen(text)))]
}

function labelsWithin(diagram: Diagram, width: number): Labels {
  const lines = edgesOf(diagram).flatMap((edge): [string, readonly string[]][] => {
    const texts = textsOf(edge).map((text) => wrapped(text, width, 3))
    if (texts.length === 0) return []
    let count = texts.length
    while (count > 1 && texts.slice(0, count).flat().length + (count < texts.length ? 1 : 0) > mostLines)
      count--
    const left = texts.length - count
    return [[edge.id, [...texts.slice(0, count).flat(), ...(left > 0 ? [`+ ${left} more`] : [])]]]
  })
  return { lines: new Map(lines), legend: [] }
}

/** The names of nodes, by their ids. */
type Names = ReadonlyMap<string, string>

function namesIn(diagram: Diagram): Names {
  return new Map(
    [diagram, ...diagram.regions].flatMap(({ nodes }) => nodes.map(({ id, text }) => [id, seen(text)])),
  )
}

function numbered(diagram: Diagram, width: number): Labels {
  const names = namesIn(diagram)
  const edges = edgesOf(diagram).filter(({ transitions }) => transitions.length > 0)
  const legend = edges.flatMap((edge, at) => {
    const ways = `${names.get(edge.from) ?? ''} → ${names.get(edge.to) ?? ''}: ${textsOf(edge).join(', ')}`
    return wrapped(`${at + 1}  ${ways}`, width, 4)
  })
  return { lines: new Map(edges.map(({ id }, at) => [id, [String(at + 1)]])), legend }
}

// Layouts.

interface Candidate {
  readonly layout: Layout
  readonly labels: Labels
}

const labelWidths = [190, 140, 100] as const
const directions: readonly Direction[] = ['down', 'right']
/** A diagram of more edges is laid out once with each kind of labels: each layout takes time. */
const many = 60

type GapsOf = (direction: Direction) => Gaps

const gapsOf: GapsOf = (direction) => ({
  nodes: 16,
  edges: 10,
  layers: direction === 'down' ? 26 : 34,
})

/** For a chart with many states beside each other. */
const tightGaps: GapsOf = () => ({ nodes: 8, edges: 4, layers: 22 })

/** Of the layouts that are narrow enough, the lowest. Where none is, with numbers in the place of labels, and then the narrowest. */
function bestOf(diagram: Diagram, width: number): Candidate {
  const isLarge = edgesOf(diagram).length > many
  const tried = (isLarge ? labelWidths.slice(1, 2) : labelWidths).flatMap((one) =>
    directions.map((direction) => candidate(diagram, direction, labelsWithin(diagram, one))),
  )
  const fit = tried.filter(({ layout }) => layout.width <= width)
  if (fit.length > 0) return lowest(fit, ({ layout }) => layout.height)
  const withNumbers = (gaps: GapsOf) =>
    directions.map((direction) => candidate(diagram, direction, numbered(diagram, width), gaps))
  const fitting = withNumbers(gapsOf).filter(({ layout }) => layout.width <= width)
  return fitting.length > 0
    ? lowest(fitting, ({ layout }) => layout.height)
    : lowest(withNumbers(tightGaps), ({ layout }) => layout.width)
}

function lowest<Item>(items: readonly [Item, ...Item[]] | readonly Item[], of: (item: Item) => number): Item {
  return items.reduce((best, item) => (of(item) < of(best) ? item : best))
}

function candidate(diagram: Diagram, direction: Direction, labels: Labels, gaps = gapsOf): Candidate {
  const layout = layoutOf(diagram, direction, (text) => textWidth(text, nameFont), {
    node: sizeOfNode,
    label: ({ id }) => sizeOfLines(labels.lines.get(id)),
    gaps: gaps(direction),
  })
  return { layout, labels }
}

function sizeOfLines(lines: readonly string[] | undefined): Size | undefined {
  if (lines === undefined) return undefined
  return {
    width: Math.max(...lines.map((line) => textWidth(line))) + 6,
    height: lines.length * lineHeight + 2,
  }
}

function sizeOfNode(node: DiagramNode): Size {
  if (node.kind === 'entry' && node.text === '') return { width: 10, height: 10 }
  const lines = linesOf(node)
  const widths = lines.map((line, at) => textWidth(line, at === 0 ? nameFont : {}))
  return { width: Math.max(...widths) + 2 * padding, height: 26 + (lines.length - 1) * lineHeight }
}

/** The name of the state, and the transitions into itself. */
function linesOf({ text, states }: DiagramNode): readonly string[] {
  const name = fitted(seen(text), widestNode, nameFont)
  const [state] = states
  if (state === undefined) return [name]
  const loops = state.transitions.filter(({ targets }) => targets.includes(state.path))
  const words = loops.map(
    ({ label, guard }) => seen(guard === undefined ? label : `${label} [${guard}]`) || 'else',
  )
  return [name, ...[...new Set(words)].slice(0, 3).map((word) => fitted(`↻ ${word}`, widestNode))]
}

// Elements.

/** The transitions that all states have, in lines. */
function commonLines(diagram: Diagram, width: number): readonly string[] {
  return [diagram, ...diagram.regions].flatMap(({ state, common }) => {
    const ways = common.filter(({ target }) => target !== undefined)
    if (ways.length === 0) return []
    const where = state.path === '' ? 'In any state' : `Anywhere in ${state.name}`
    const words = ways.map(({ text, target }) => `${text} → ${target === '' ? 'the start' : target}`)
    return wrapped(`${seen(where)}: ${[...new Set(words.map(seen))].join(', ')}`, width, 6)
  })
}

function drawn({ layout, labels }: Candidate, name: string, colours: Colours): string {
  const { regions, diagram } = layout
  const width = Math.max(layout.width, ...labels.legend.map((line) => textWidth(line)))
  const common = commonLines(diagram, Math.max(layout.width, 420))
  const widths = [width, ...common.map((line) => textWidth(line))]
  const top = margin + (common.length === 0 ? 0 : common.length * lineHeight + 8)
  const whole = Math.max(...widths) + 2 * margin
  const left = (whole - layout.width) / 2
  const edges = regions.flatMap((region) => region.edges)
  const nodes = regions.flatMap((region) => region.nodes)
  const names = namesIn(diagram)
  const bottom =
    top + layout.height + (labels.legend.length === 0 ? 0 : labels.legend.length * lineHeight + 12)
  const body = [
    ...common.map((line, at) =>
      textFrom({ x: margin, y: margin + at * lineHeight + lineHeight / 2 }, line, { fill: colours.muted }),
    ),
    `<g transform="translate(${Math.round(left)} ${top})">`,
    ...(diagram.regions.length === 0
      ? []
      : regions.map((region) => regionBox(region, seen(region.diagram.state.name), colours))),
    ...edges.map((edge) => edgeLine(edge, names, colours)),
    ...edges.map((edge) => edgeLabel(edge, labels.lines.get(edge.edge.id) ?? [], colours)),
    ...nodes.map((placed) => nodeBox(placed.node, placed, colours)),
    '</g>',
    ...labels.legend.map((line, at) =>
      textFrom({ x: margin, y: top + layout.height + 12 + at * lineHeight + lineHeight / 2 }, line, {
        fill: colours.muted,
      }),
    ),
  ]
  const states = nodes.flatMap(({ node }) => (node.kind === 'state' ? [seen(node.text)] : []))
  return svgOf(
    {
      width: whole,
      height: bottom + margin,
      title: `The chart ${name}`,
      description: `States: ${states.join(', ')}.`,
      colours,
    },
    body,
  )
}

function regionBox(box: Box, name: string, { line, muted }: Colours): string {
  return (
    boxAt(box, { fill: 'none', stroke: line, radius: 6, isDashed: true }) +
    textFrom({ x: box.x + 8, y: box.y + 11 }, name, { fill: muted, isBold: true })
  )
}

function edgeLine({ edge, points }: PlacedEdge, names: Names, { line }: Colours): string {
  const ends = `${names.get(edge.from) ?? ''} → ${names.get(edge.to) ?? ''}`
  const title = edge.transitions.length === 0 ? 'the initial state' : `${ends}: ${textsOf(edge).join(', ')}`
  return titled(title, [lineAlong(points, { stroke: line })])
}

function edgeLabel({ label }: PlacedEdge, lines: readonly string[], { background }: Colours): string {
  if (label === undefined) return ''
  const { x, y, width, height } = label
  const texts = lines.map((text, at) =>
    textAt({ x: x + width / 2, y: y + 1 + at * lineHeight + lineHeight / 2 }, text),
  )
  return boxAt({ x, y, width, height }, { fill: background, radius: 3 }) + texts.join('')
}

function nodeBox(node: DiagramNode, box: Box, colours: Colours): string {
  const { fill, border, final, muted, line } = colours
  const [state] = node.states
  if (node.kind === 'entry' && node.text === '')
    return `<circle cx="${box.x + 5}" cy="${box.y + 5}" r="4.5" fill="${line}"/>`
  const lines = linesOf(node)
  const isOutside = node.kind !== 'state'
  const texts = lines.map((text, at) =>
    textAt(
      { x: box.x + box.width / 2, y: box.y + 13 + at * lineHeight },
      text,
      at > 0 ? { fill: muted } : { ...nameFont, ...(isOutside ? { fill: muted } : {}) },
    ),
  )
  const isFinal = state?.type === 'final'
  const radius = isFinal || isOutside ? 13 : 5
  const look = isOutside
    ? { fill: 'none', stroke: border, radius, isDashed: true }
    : { fill: isFinal ? final : fill, stroke: border, radius, ...(isFinal ? { width: 2 } : {}) }
  const behind =
    !isOutside && (state?.states.length ?? 0) > 0
      ? [boxAt({ ...box, x: box.x + 3, y: box.y + 3 }, { fill: border, radius })]
      : []
  const description = state?.description === undefined ? '' : `: ${seen(state.description)}`
  return titled(`${seen(node.text)}${description}`, [...behind, boxAt(box, look), ...texts])
}
