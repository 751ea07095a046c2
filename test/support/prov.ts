/** Checks a graph against the PROV constraints that apply to it, and against what we promise of every graph. */
import { Parser, type Quad as ParsedQuad } from 'n3'
import { createTroupe, type AnyAgent, type FinalResult, type Run, type Troupe } from 'troupe'
import {
  formatExplanation,
  provenanceOf,
  provenanceSink,
  why,
  type Provenance,
  type Quad,
} from 'troupe/provenance'
import { expect } from 'vitest'
import { namespaces, terms, iriOf, type Term } from '../../src/provenance/rdf/terms.ts'

type Kind = 'Entity' | 'Activity' | 'Agent'

const relations: readonly (readonly [Term, Kind, Kind])[] = [
  ['prov:wasGeneratedBy', 'Entity', 'Activity'],
  ['prov:wasDerivedFrom', 'Entity', 'Entity'],
  ['prov:wasAttributedTo', 'Entity', 'Agent'],
  ['prov:used', 'Activity', 'Entity'],
  ['prov:wasInformedBy', 'Activity', 'Activity'],
  ['prov:wasAssociatedWith', 'Activity', 'Agent'],
  ['prov:actedOnBehalfOf', 'Agent', 'Agent'],
]

const functional: readonly Term[] = [
  'prov:value',
  'prov:generatedAtTime',
  'prov:startedAtTime',
  'prov:endedAtTime',
  'troupe:sequence',
  'troupe:outcome',
]

/** What is wrong with a graph of one run; nothing, if it is valid and hangs together. */
export function provProblems(quads: readonly Quad[]): string[] {
  const graph = new Said(quads)
  return [
    ...wording(quads),
    ...typing(graph),
    ...generation(graph),
    ...derivation(graph),
    ...timing(graph),
    ...connection(graph),
    ...succession(graph),
  ]
}

class Said {
  readonly subjects: readonly string[]
  readonly #quads: Map<string, Quad[]>

  constructor(quads: readonly Quad[]) {
    this.#quads = Map.groupBy(quads, ({ subject }) => subject.value)
    this.subjects = [...this.#quads.keys()]
  }

  of(subject: string): readonly Quad[] {
    return this.#quads.get(subject) ?? []
  }

  all(subject: string, predicate: Term): string[] {
    const wanted = iriOf(predicate)
    return this.of(subject).flatMap((quad) => (quad.predicate.value === wanted ? [quad.object.value] : []))
  }

  is(subject: string, type: Term): boolean {
    return this.all(subject, 'rdf:type').includes(iriOf(type))
  }

  kinds(subject: string): Kind[] {
    return (['Entity', 'Activity', 'Agent'] as const).filter((kind) => this.is(subject, `prov:${kind}`))
  }

  time(subject: string, predicate: Term): number | undefined {
    const [time] = this.all(subject, predicate)
    return time === undefined ? undefined : Date.parse(time)
  }

  /** It was there before the run, or came from outside of it. */
  isGiven(subject: string): boolean {
    const isRootTask =
      this.is(subject, 'troupe:Task') && this.all(subject, 'prov:wasDerivedFrom').length === 0
    return this.is(subject, 'troupe:Option') || this.is(subject, 'troupe:Message') || isRootTask
  }

  /** Along a property, to the end. */
  reach(from: string, ...predicates: readonly Term[]): Set<string> {
    const reached = new Set([from])
    for (const one of reached) {
      for (const predicate of predicates) for (const next of this.all(one, predicate)) reached.add(next)
    }
    return reached
  }
}

function wording(quads: readonly Quad[]): string[] {
  const known = new Set<string>(terms.map(iriOf))
  const own = Object.values(namespaces)
  return quads.flatMap(({ subject, predicate, object, graph }) => {
    const problems: string[] = []
    for (const node of [subject, predicate, object, graph]) {
      if (node.termType === 'NamedNode' && !/^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]*$/i.test(node.value)) {
        problems.push(`<${node.value}> is no IRI`)
      }
      const isWord =
        node.termType === 'NamedNode' && own.some((namespace) => node.value.startsWith(namespace))
      if (isWord && !known.has(node.value)) problems.push(`<${node.value}> is no word of the vocabulary`)
    }
    if (!known.has(predicate.value)) problems.push(`<${predicate.value}> is no word of the vocabulary`)
    return problems
  })
}

function typing(graph: Said): string[] {
  const problems: string[] = []
  for (const subject of graph.subjects) {
    const kinds = graph.kinds(subject)
    if (kinds.length !== 1) problems.push(`<${subject}> is ${kinds.join(' and ') || 'nothing'}`)
    for (const [predicate, domain, range] of relations) {
      for (const object of graph.all(subject, predicate)) {
        if (!graph.kinds(subject).includes(domain))
          problems.push(`<${subject}> ${predicate}, and is no ${domain}`)
        if (!graph.kinds(object).includes(range))
          problems.push(`${predicate} <${object}>, which is no ${range}`)
      }
    }
    for (const predicate of functional) {
      const count = graph.all(subject, predicate).length
      if (count > 1) problems.push(`<${subject}> has ${count} ${predicate}`)
    }
  }
  return problems
}

function generation(graph: Said): string[] {
  return graph.subjects.flatMap((subject) => {
    if (!graph.is(subject, 'prov:Entity')) return []
    const count = graph.all(subject, 'prov:wasGeneratedBy').length
    const expected = graph.isGiven(subject) ? 0 : 1
    return count === expected ? [] : [`<${subject}> was generated ${count} times, not ${expected}`]
  })
}

function derivation(graph: Said): string[] {
  const state = new Map<string, 'open' | 'done'>()
  const problems: string[] = []
  for (const start of graph.subjects) {
    const stack = [{ uri: start, next: 0 }]
    if (state.has(start)) continue
    state.set(start, 'open')
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const origin = graph.all(top.uri, 'prov:wasDerivedFrom')[top.next++]
      if (origin === undefined) {
        state.set(top.uri, 'done')
        stack.pop()
      } else if (state.get(origin) === 'open') {
        problems.push(`<${top.uri}> is derived from <${origin}>, which is derived from it`)
      } else if (!state.has(origin)) {
        state.set(origin, 'open')
        stack.push({ uri: origin, next: 0 })
      }
    }
  }
  return problems
}

function timing(graph: Said): string[] {
  const problems: string[] = []
  const inOrder = (what: string, earlier: number | undefined, later: number | undefined): void => {
    if (earlier !== undefined && later !== undefined && earlier > later) problems.push(what)
  }
  const made = (uri: string) => graph.time(uri, 'prov:generatedAtTime')
  const started = (uri: string) => graph.time(uri, 'prov:startedAtTime')
  const ended = (uri: string) => graph.time(uri, 'prov:endedAtTime')
  const place = (uri: string) => Number(graph.all(uri, 'troupe:sequence')[0])
  for (const subject of graph.subjects) {
    const isMade = graph.all(subject, 'prov:wasGeneratedBy').length > 0
    if (isMade && made(subject) === undefined) problems.push(`<${subject}> was made at no time`)
    if (graph.is(subject, 'prov:Activity') && started(subject) === undefined) {
      problems.push(`<${subject}> never started`)
    }
    inOrder(`<${subject}> ended before it started`, started(subject), ended(subject))
    for (const activity of graph.all(subject, 'prov:wasGeneratedBy')) {
      inOrder(`<${subject}> was made before <${activity}> started`, started(activity), made(subject))
      inOrder(`<${subject}> was made after <${activity}> ended`, made(subject), ended(activity))
    }
    for (const origin of graph.all(subject, 'prov:wasDerivedFrom')) {
      inOrder(`<${subject}> was made before <${origin}>`, made(origin), made(subject))
      if (place(origin) > place(subject)) problems.push(`<${subject}> stands before <${origin}>`)
    }
    for (const used of graph.all(subject, 'prov:used')) {
      inOrder(`<${subject}> used <${used}>, which was not there yet`, made(used), ended(subject))
    }
    for (const informant of graph.all(subject, 'prov:wasInformedBy')) {
      inOrder(`<${subject}> ended before <${informant}> started`, started(informant), ended(subject))
    }
  }
  return problems
}

/** Everything made comes of the question; every session hangs below the run's; nothing stands by itself. */
function connection(graph: Said): string[] {
  const roots = graph.subjects.filter(
    (uri) => graph.is(uri, 'tg:AgentQuestion') && graph.all(uri, 'prov:wasInformedBy').length === 0,
  )
  const [root = ''] = roots
  if (roots.length !== 1) return [`there are ${roots.length} runs`]
  const question = `${root}/question`
  return graph.subjects.flatMap((uri) => {
    if (graph.is(uri, 'prov:Entity') && !graph.isGiven(uri)) {
      return graph.reach(uri, 'prov:wasDerivedFrom').has(question)
        ? []
        : [`<${uri}> does not come of the question`]
    }
    if (graph.is(uri, 'tg:AgentQuestion')) {
      return graph.reach(uri, 'prov:wasInformedBy').has(root) ? [] : [`<${uri}> does not hang below the run`]
    }
    if (graph.is(uri, 'troupe:ToolCall')) {
      return graph.all(uri, 'prov:used').length > 0 ? [] : [`<${uri}> was called for nothing`]
    }
    return []
  })
}

/** Each handoff has one successor, which has used it, and was informed by whoever made it; and so the other way round. */
function succession(graph: Said): string[] {
  const sessions = graph.subjects.filter((uri) => graph.is(uri, 'tg:AgentQuestion'))
  return graph.subjects.flatMap((uri) => {
    if (!graph.is(uri, 'troupe:Handoff')) return []
    const users = sessions.filter((session) => graph.all(session, 'prov:used').includes(uri))
    const successors = graph.all(uri, 'troupe:successor')
    const [maker = ''] = graph.all(uri, 'prov:wasGeneratedBy')
    const isLinked = users.every((user) => graph.all(user, 'prov:wasInformedBy').includes(maker))
    const isOne = users.length === 1 && successors.length === 1 && users[0] === successors[0]
    return isOne && isLinked
      ? []
      : [`<${uri}> was handed to <${successors.join()}>, used by <${users.join()}>`]
  })
}

/** One line for each statement, sorted: equal for equal graphs. */
export function statements(quads: readonly (Quad | ParsedQuad)[]): string[] {
  return quads
    .map(({ subject, predicate, object, graph }) => {
      const value =
        object.termType === 'Literal' ? `"${object.value}"^^${object.datatype.value}` : object.value
      return JSON.stringify([subject.value, predicate.value, object.termType, value, graph.value])
    })
    .toSorted()
}

export function parsed(text: string, format: 'Turtle' | 'TriG' | 'N-Quads'): ParsedQuad[] {
  return new Parser({ format }).parse(text)
}

/** What a graph says of one thing, but for times: names shortened, and the id of the run `RUN`. */
export function said({ quads, runId }: Provenance, uri: string): Record<string, string[]> {
  const facts: Record<string, string[]> = {}
  for (const { subject, predicate, object } of quads) {
    if (short(subject.value, runId) !== uri && subject.value !== uri) continue
    const name = short(predicate.value, runId)
    if (/Time$|:sequence$/.test(name)) continue
    facts[name] = [...(facts[name] ?? []), short(object.value, runId)]
  }
  return facts
}

/** `run:` stands for the URI of the run's session. */
function short(value: string, runId: string): string {
  const known = Object.entries(namespaces).find(([, namespace]) => value.startsWith(namespace))
  if (known !== undefined) return `${known[0]}:${value.slice(known[1].length)}`
  return value
    .replace(`urn:trustgraph:agent:${runId}`, 'run:')
    .replaceAll(runId, 'RUN')
    .replace(/^run:\//, 'run:')
}

/** Runs an agent to its end, and gives its graph, which has passed all checks, with the explanation of its answer. */
export async function exported(
  agent: AnyAgent,
  options: object = {},
): Promise<{ readonly graph: Provenance; readonly result: FinalResult; readonly text: string }> {
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Q?', options)
  const result = await run.result
  const graph = await provenanceOf(troupe, run.id)
  expect(provProblems(graph.quads)).toEqual([])
  await expectWrittenAlike(troupe, run, graph)
  return { graph, result, text: formatExplanation(why(graph)) }
}

/** Fails where a graph that is written event by event is another one than the whole. */
export async function expectWrittenAlike(troupe: Troupe, run: Run, whole: Provenance): Promise<void> {
  const written: Quad[] = []
  const sink = provenanceSink({ write: (quads) => void written.push(...quads) })
  for await (const event of run.events) sink.take(event)
  const ended = sink.end(await troupe.journal(run.id))
  expect(ended.toNQuads()).toBe(whole.toNQuads())
  expect(ended.answer).toBe(whole.answer)
  expect(statements(written)).toEqual(statements(whole.quads))
}
