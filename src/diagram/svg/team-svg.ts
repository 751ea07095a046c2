/**
 * A team as a drawing: each agent with its pattern, model, tools and limits; arrows lead to the agents that it delegates to,
 * dashed ones to those to which it may hand its conversation.
 */
import type { Tool } from '../../actors/tool.ts'
import type { AgentDefinition } from '../../runtime/definition/definition.ts'
import { boundsOf, around, moved, type Box, type Point, type Size } from '../../drawing/layers/geometry.ts'
import { layered, type LayeredEdge } from '../../drawing/layers/layered.ts'
import { boxAt, lineAlong, seen, svgOf, textAt, textFrom, titled, type TextLook } from './sheet.ts'
import { fitted, textWidth, titleSize, wrapped } from './text-width.ts'
import { themes, type Colours, type Theme } from './themes.ts'

interface TeamDrawing {
  readonly theme: Theme
  readonly width: number
}

interface Line {
  readonly text: string
  readonly look: 'title' | 'muted' | 'text'
}

interface Card {
  readonly agent: AgentDefinition
  readonly lines: readonly Line[]
  /** Lines behind which a rule is drawn. */
  readonly rules: readonly number[]
}

interface Bond {
  readonly from: number
  readonly to: number
  readonly label: string
  readonly isHandoff: boolean
}

const lineHeight = 16
const margin = 10
const padding = 10
const widest = 200
const mostTools = 10
const titleFont = { size: titleSize, isBold: true }

export function teamSvg(roots: readonly AgentDefinition[], { theme, width }: TeamDrawing): string {
  const agents = reached(roots)
  const cards = agents.map(cardOf)
  const bonds = agents.flatMap((agent, from) => bondsOf(agent, from, agents))
  const graphs = [true, false].map((isDown) => placed(cards, bonds, isDown))
  const fitting = graphs.filter((graph) => graph.width + 2 * margin <= width)
  const by = (of: (graph: Graph) => number) => (best: Graph, graph: Graph) =>
    of(graph) < of(best) ? graph : best
  const graph =
    fitting.length > 0 ? fitting.reduce(by((one) => one.height)) : graphs.reduce(by((one) => one.width))
  return drawn(graph, cards, bonds, themes[theme])
}

/** Each agent once, before those that it names where they do not name it in turn: arrows lead forwards. */
function reached(roots: readonly AgentDefinition[]): readonly AgentDefinition[] {
  const seenAgents = new Set<AgentDefinition>()
  const finished: AgentDefinition[] = []
  const visit = (agent: AgentDefinition): void => {
    if (seenAgents.has(agent)) return
    seenAgents.add(agent)
    const named = [...subagentsOf(agent), ...successorsOf(agent)].map(([, other]) => other)
    for (const other of named.toReversed()) visit(other)
    finished.push(agent)
  }
  for (const root of roots.toReversed()) visit(root)
  return finished.toReversed()
}

function subagentsOf({ agents }: AgentDefinition): readonly (readonly [string, AgentDefinition])[] {
  return Object.entries(agents)
}

function successorsOf({ handoffs }: AgentDefinition): readonly (readonly [string, AgentDefinition])[] {
  return Object.entries(handoffs?.agents() ?? {})
}

function bondsOf(agent: AgentDefinition, from: number, agents: readonly AgentDefinition[]): readonly Bond[] {
  const { background = {} } = agent.settings
  const delegations = subagentsOf(agent).map(([key, other]): Bond => {
    const words = [key === other.id ? '' : seen(key), background[key] ? 'in the background' : '']
    const label = words.filter((word) => word !== '').join(', ')
    return { from, to: agents.indexOf(other), label, isHandoff: false }
  })
  const handoffs = successorsOf(agent).map(([, other]): Bond => {
    return { from, to: agents.indexOf(other), label: 'hands off', isHandoff: true }
  })
  return [...delegations, ...handoffs]
}

// The card of an agent.

function cardOf(agent: AgentDefinition): Card {
  const { id, version, pattern, dynamic } = agent
  const title = version === undefined ? id : `${id} ${version}`
  const kind = [patternNames[pattern] ?? pattern, modelOf(agent)].filter((word) => word !== '').join(' · ')
  const head: readonly Line[] = [
    { text: fitted(seen(title), widest, titleFont), look: 'title' },
    ...wrapped(kind, widest, 2).map((text): Line => ({ text, look: 'muted' })),
  ]
  const made = dynamic.filter((part) => part !== 'model').map((part) => `${part} of the run`)
  const tools = [...toolLines(agent.tools), ...made].map((text): Line => ({
    text: fitted(text, widest),
    look: 'text',
  }))
  const limits = limitsOf(agent)
    .flatMap((limit) => wrapped(limit, widest, 3))
    .map((text): Line => ({ text, look: 'muted' }))
  const lines = [...head, ...tools, ...limits]
  const rules = [tools.length > 0 && head.length, limits.length > 0 && head.length + tools.length]
  return { agent, lines, rules: rules.filter((rule) => rule !== false) }
}

const patternNames: Readonly<Record<string, string>> = { react: 'agent', custom: 'chart' }

function modelOf({ dynamic, model, pattern, remote }: AgentDefinition): string {
  if (remote !== undefined || pattern === 'remote' || pattern === 'custom') return ''
  return dynamic.includes('model') ? 'model of the run' : seen(model.modelId)
}

function toolLines(tools: Readonly<Record<string, Tool>>): readonly string[] {
  const entries = Object.entries(tools)
  const lines = entries.slice(0, mostTools).map(([name, tool]) => {
    const asks =
      tool.requireApproval === true ? 'asks first' : tool.requireApproval === false ? '' : 'may ask'
    const marks = [
      asks,
      tool.background === undefined ? '' : 'in the background',
      tool.isClient ? 'of the client' : '',
    ]
    return [seen(name), ...marks.filter((mark) => mark !== '')].join(' · ')
  })
  const left = entries.length - lines.length
  return left === 0 ? lines : [...lines, `+ ${left} more tools`]
}

/** The limits that the definition sets. */
function limitsOf({ settings, handoffs }: AgentDefinition): readonly string[] {
  const { maxSteps, maxDepth, toolCallConcurrency, budget, caps, delegation, completion, modelTimeout } =
    settings
  const counted = [
    [maxSteps, 'steps'],
    [caps?.maxIterations, 'decisions'],
    [caps?.maxReplans, 'new plans'],
    [caps?.maxPlanSteps, 'steps of a plan'],
    [caps?.maxGoals, 'goals'],
    [caps?.maxRounds ?? caps?.rounds, 'rounds'],
    [caps?.maxCritiques, 'critiques'],
    [handoffs?.profile.max, 'handoffs'],
    [toolCallConcurrency, 'calls at once'],
  ] as const
  const most = counted.flatMap(([limit, what]) =>
    limit === undefined ? [] : `${limit} ${limit === 1 ? what.replace(/s\b/, '') : what}`,
  )
  const times = [
    [delegation?.timeout, 'a delegation'],
    [modelTimeout, 'a model call'],
    [caps?.goalTimeout, 'a round'],
  ] as const
  const inTime = times.flatMap(([limit, what]) =>
    limit === undefined ? [] : `${seconds(limit)} for ${what}`,
  )
  const spent = [
    budget?.modelCalls === undefined ? '' : `${budget.modelCalls} model calls`,
    budget?.tokens === undefined ? '' : `${budget.tokens} tokens`,
    budget?.cost === undefined ? '' : `cost ${budget.cost}`,
    budget?.wallClock === undefined ? '' : seconds(budget.wallClock),
  ].filter((word) => word !== '')
  return [
    ...(most.length === 0 ? [] : [`at most ${most.join(', ')}`]),
    ...(maxDepth === undefined ? [] : [`depth ${maxDepth}`]),
    ...inTime,
    ...(spent.length === 0 ? [] : [`budget: ${spent.join(', ')}`]),
    ...(completion === undefined
      ? []
      : [`scored by ${completion.scorers.map(({ id }) => seen(id)).join(', ')}`]),
  ]
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`
}

// The graph.

interface Graph extends Size {
  readonly cards: readonly Box[]
  readonly ways: readonly (readonly Point[])[]
  readonly labels: readonly (Box | undefined)[]
}

function sizeOf({ lines, rules }: Card): Size {
  const widths = lines.map(({ text, look }) => textWidth(text, look === 'title' ? titleFont : {}))
  return {
    width: Math.max(90, ...widths) + 2 * padding,
    height: lines.length * lineHeight + rules.length * 6 + 10,
  }
}

function placed(cards: readonly Card[], bonds: readonly Bond[], isDown: boolean): Graph {
  const sizes = cards.map(sizeOf)
  const labelSizes = bonds.map(({ label }) =>
    label === '' ? undefined : { width: textWidth(label) + 6, height: lineHeight },
  )
  const edges = bonds.map(({ from, to }, at): LayeredEdge => {
    return { from: Math.min(from, to), to: Math.max(from, to), weight: 1, label: labelSizes[at] }
  })
  // A bond of an agent with itself is no way: its label would stand nowhere.
  const drawable = edges.map(({ from, to }) => from !== to)
  const drawing = layered(
    sizes,
    edges.filter((_, at) => drawable[at]),
    { gaps: { nodes: 22, edges: 12, layers: isDown ? 34 : 46 }, isDown },
  )
  const boxes = sizes.map((size, at) => around(drawing.nodes[at] ?? { x: 0, y: 0 }, size))
  let next = 0
  const places = drawable.map((isDrawn) => (isDrawn ? next++ : undefined))
  const ways = places.map((place, at) => {
    const points = place === undefined ? [] : (drawing.edges[place] ?? [])
    const { from = 0, to = 0 } = bonds[at] ?? {}
    return from > to ? points.toReversed() : points
  })
  const labels = places.map((place, at) => {
    const [middle, size] = [place === undefined ? undefined : drawing.labels[place], labelSizes[at]]
    return middle === undefined || size === undefined ? undefined : around(middle, size)
  })
  const bounds = boundsOf([...boxes, ...labels.flatMap((box) => box ?? [])], ways.flat(), 0)
  const by = { x: -bounds.x, y: -bounds.y }
  return {
    width: bounds.width,
    height: bounds.height,
    cards: boxes.map((box) => moved(box, by)),
    ways: ways.map((points) => points.map((point) => moved(point, by))),
    labels: labels.map((box) => box && moved(box, by)),
  }
}

// Elements.

function drawn(graph: Graph, cards: readonly Card[], bonds: readonly Bond[], colours: Colours): string {
  const names = cards.map(({ agent }) => seen(agent.id))
  const body = [
    `<g transform="translate(${margin} ${margin})">`,
    ...bonds.map(({ from, to, isHandoff }, at) => {
      const points = graph.ways[at] ?? []
      if (points.length === 0) return ''
      const verb = isHandoff ? 'may hand its conversation to' : 'delegates to'
      const stroke = isHandoff ? colours.accent : colours.line
      return titled(`${names[from]} ${verb} ${names[to]}`, [
        lineAlong(points, { stroke, isDashed: isHandoff }),
      ])
    }),
    ...bonds.map(({ label }, at) => {
      const box = graph.labels[at]
      if (box === undefined) return ''
      const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
      return (
        boxAt(box, { fill: colours.background, radius: 3 }) + textAt(middle, label, { fill: colours.muted })
      )
    }),
    ...cards.map((card, at) => cardAt(graph.cards[at] ?? { x: 0, y: 0, width: 0, height: 0 }, card, colours)),
    '</g>',
  ]
  return svgOf(
    {
      width: graph.width + 2 * margin,
      height: graph.height + 2 * margin,
      title: `The team of ${names[0] ?? 'nobody'}`,
      description: `Agents: ${names.join(', ')}.`,
      colours,
    },
    body,
  )
}

function cardAt(box: Box, { agent, lines, rules }: Card, colours: Colours): string {
  const { fill, border, muted, line: rule } = colours
  const looks: Readonly<Record<Line['look'], TextLook>> = {
    title: titleFont,
    muted: { fill: muted },
    text: {},
  }
  let y = box.y + 5
  const elements = lines.flatMap(({ text, look }, at) => {
    const isBehindRule = rules.includes(at)
    if (isBehindRule) y += 6
    const top = y - 3
    const middle = { x: box.x + padding, y: y + lineHeight / 2 }
    y += lineHeight
    const ends = [
      { x: box.x, y: top },
      { x: box.x + box.width, y: top },
    ]
    return [
      ...(isBehindRule ? [lineAlong(ends, { stroke: rule, hasTip: false })] : []),
      textFrom(middle, text, looks[look]),
    ]
  })
  const { id, description } = agent as { readonly id: string; readonly description: string | undefined }
  const title = description === undefined ? seen(id) : `${seen(id)}: ${seen(description)}`
  return titled(title, [boxAt(box, { fill, stroke: border, radius: 6 }), ...elements])
}
