/** Answers "why": walks a graph from an answer back to the question. */
import { ConfigurationError } from '../../index.ts'
import type { Quad } from '../rdf/rdf.ts'
import type { Term } from '../rdf/terms.ts'
import type { Explanation, Reason, ReasonKind, Choice } from './explanation.ts'
import { GraphIndex } from './graph-index.ts'

/**
 * Explains an answer, or any other entity of a graph: its derivation, back to the question of the run, with the options
 * of every choice. Takes the result of `toProvenance`, or quads that were stored and read again. `about`: the URI of
 * the entity. Default: the answer of the run; where it has none, the entities of the root agent, or its last successor.
 * Throws a `ConfigurationError` for a URI that the graph does not have, and without one for a graph of several runs.
 */
export function why(graph: Iterable<Quad> | { readonly quads: Iterable<Quad> }, about?: string): Explanation {
  const index = new GraphIndex('quads' in graph ? graph.quads : graph)
  if (about === undefined) {
    const session = lastOf(index, rootOf(index))
    const answer = answerOf(index, session)
    const from = answer === undefined ? entitiesOf(index, session) : [answer]
    return explain(index, session, wayFrom(index, from))
  }
  const session = madeFor(index, about)
  if (session === undefined) throw new ConfigurationError(`why: the graph has no entity <${about}>.`)
  return upwards(index, session, wayFrom(index, [about]))
}

// Handoff chains: sessions that go on for one another, and together have one question and one answer.

/** A session and those before it, last first. */
function lineOf(index: GraphIndex, session: string): readonly string[] {
  return follow(session, (one) => beforeOf(index, one))
}

/** The session that had the conversation last. */
function lastOf(index: GraphIndex, session: string): string {
  return follow(session, (one) => successorOf(index, one)).at(-1) ?? session
}

/** Ends where a stored graph leads back to a session that it has passed. */
function follow(session: string, next: (session: string) => string | undefined): readonly string[] {
  const passed = new Set([session])
  for (const one of passed) {
    const following = next(one)
    if (following !== undefined) passed.add(following)
  }
  return [...passed]
}

function successorOf(index: GraphIndex, session: string): string | undefined {
  const handoff = index.madeBy(session).find((uri) => index.is(uri, 'troupe:Handoff'))
  return handoff === undefined ? undefined : index.one(handoff, 'troupe:successor')
}

function beforeOf(index: GraphIndex, session: string): string | undefined {
  const handoff = index.all(session, 'prov:used').find((uri) => index.is(uri, 'troupe:Handoff'))
  return handoff === undefined ? undefined : index.one(handoff, 'prov:wasGeneratedBy')
}

/** The entities to explain and all that they were derived from, by the sessions that they belong to. */
type Way = ReadonlyMap<string | undefined, readonly string[]>

function wayFrom(index: GraphIndex, uris: readonly string[]): Way {
  return Map.groupBy(index.origins(uris), (uri) => madeFor(index, uri))
}

/** The explanation of a session, with those of the sessions that delegated to it, up to the question of the run. */
function upwards(index: GraphIndex, session: string, way: Way): Explanation {
  const asking = askerOf(index, session)
  const explanation = explain(index, session, way)
  return asking === undefined ? explanation : { ...explanation, askedBy: upwards(index, asking, way) }
}

function explain(index: GraphIndex, session: string, way: Way): Explanation {
  const line = lineOf(index, session)
  const own = line.flatMap((one) => way.get(one) ?? [])
  const answer = answerOf(index, session)
  return {
    session,
    agent: agentOf(index, session),
    question: index.one(session, 'tg:query') ?? '',
    outcome: index.one(session, 'troupe:outcome'),
    answer: answer === undefined ? undefined : index.one(answer, 'prov:value'),
    reasons: lastFirst(index, own).map((uri) => reasonOf(index, uri, line, way)),
  }
}

function reasonOf(index: GraphIndex, uri: string, line: readonly string[], way: Way): Reason {
  const kind = kindOf(index, uri)
  const outcome = index.one(uri, 'troupe:outcome')
  const agent = index.one(uri, 'troupe:agentId')
  const successor = index.one(uri, 'troupe:successor')
  const toolGroups = index.all(uri, 'troupe:toolGroup')
  const below = kind === 'completion' ? index.one(uri, 'prov:wasGeneratedBy') : undefined
  return {
    uri,
    kind,
    text:
      index.one(uri, 'prov:value') ?? index.one(uri, 'troupe:error') ?? index.one(uri, 'tg:toolError') ?? '',
    ...(outcome === undefined ? {} : { outcome }),
    choices: choicesOf(index, uri),
    from: index.all(uri, 'prov:wasDerivedFrom'),
    missing: index.all(uri, 'troupe:missing'),
    ...(agent === undefined ? {} : { agent }),
    ...(successor === undefined ? {} : { successor: agentOf(index, successor) }),
    ...(toolGroups.length === 0 ? {} : { toolGroups }),
    ...(below === undefined || line.includes(below) ? {} : { delegation: explain(index, below, way) }),
  }
}

/** The choices behind one entity of a graph. */
function choicesOf(graph: GraphIndex, uri: string): Choice[] {
  if (graph.is(uri, 'troupe:Choice')) return [namedChoice(graph, uri)]
  const offered = graph.all(uri, 'tg:toolCandidate')
  if (offered.length === 0) return []
  return [
    {
      subject: graph.is(uri, 'tg:Plan') ? 'plan' : 'action',
      options: offered,
      chosen: graph.all(uri, 'tg:action'),
      criterion: 'model',
    },
  ]
}

function namedChoice(graph: GraphIndex, uri: string): Choice {
  const label = (option: string) => graph.one(option, 'rdfs:label') ?? option
  const rationale = graph.one(uri, 'troupe:rationale')
  const words = rationale === undefined ? undefined : graph.one(rationale, 'prov:value')
  const fallback = graph.one(uri, 'troupe:fallback')
  return {
    subject: graph.one(uri, 'troupe:subject') ?? '',
    options: graph.all(uri, 'troupe:candidate').map(label),
    chosen: graph.all(uri, 'troupe:chosen').map(label),
    criterion: graph.one(uri, 'troupe:criterion') ?? '',
    ...(words === undefined ? {} : { rationale: words }),
    ...(fallback === undefined ? {} : { fallback }),
  }
}

/** The session that an entity belongs to: a completion is its parent's, although the subagent has generated it. */
function madeFor(index: GraphIndex, uri: string): string | undefined {
  const session = sessionOf(index, uri)
  if (session === undefined || kindOf(index, uri) !== 'completion') return session
  const parent = index.one(uri, 'tg:parentSessionId')
  return parent === index.one(session, 'troupe:sessionId') ? session : askerOf(index, session)
}

/** The session that generated an entity, by itself or by a tool call; for a question, or a message of a person, the session that used it. */
function sessionOf(index: GraphIndex, uri: string): string | undefined {
  const user = index.usersOf(uri).find((activity) => index.is(activity, 'tg:AgentQuestion'))
  if (index.is(uri, 'troupe:Task') || index.is(uri, 'troupe:Message')) return user
  const activity = index.one(uri, 'prov:wasGeneratedBy')
  if (activity === undefined || index.is(activity, 'tg:AgentQuestion')) return activity
  const [cause] = index.all(activity, 'prov:used')
  return cause === undefined ? undefined : sessionOf(index, cause)
}

function rootOf(index: GraphIndex): string {
  const roots = [...index.subjects].filter(
    (uri) => index.is(uri, 'tg:AgentQuestion') && index.one(uri, 'prov:wasInformedBy') === undefined,
  )
  const [root] = roots
  if (root === undefined) throw new ConfigurationError('why: the graph has no run.')
  if (roots.length === 1) return root
  throw new ConfigurationError(
    `why: the graph has ${roots.length} runs: name the answer that is asked about.`,
  )
}

/** The session that delegated to it, or to the first of its handoff chain. */
function askerOf(index: GraphIndex, session: string): string | undefined {
  const first = lineOf(index, session).at(-1) ?? session
  return index.one(first, 'prov:wasInformedBy')
}

function answerOf(index: GraphIndex, session: string): string | undefined {
  return index.madeBy(session).find((uri) => index.is(uri, 'tg:Conclusion'))
}

function entitiesOf(index: GraphIndex, session: string): readonly string[] {
  return [...index.all(session, 'prov:used'), ...index.madeBy(session)].filter(
    (uri) => madeFor(index, uri) === session,
  )
}

function agentOf(index: GraphIndex, session: string): string {
  const agent = index.one(session, 'prov:wasAssociatedWith')
  return (agent === undefined ? undefined : index.one(agent, 'troupe:agentId')) ?? ''
}

/** Sorts by position among the events of the run, last first; entities of one event by derivation. */
function lastFirst(index: GraphIndex, uris: readonly string[]): string[] {
  const placeOf = (uri: string) => index.number(uri, 'troupe:sequence') ?? 0
  const places = Map.groupBy(uris, placeOf)
  return [...places.keys()]
    .toSorted((a, b) => b - a)
    .flatMap((place) => derivedFirst(index, places.get(place) ?? []))
}

const byName = new Intl.Collator('en', { numeric: true })

/** Sorts the entities of one event, a handful. */
function derivedFirst(index: GraphIndex, uris: readonly string[]): string[] {
  /** `passed`: a stored graph may lead back to where it came from. */
  const depthOf = (uri: string, passed: readonly string[]): number => {
    const origins = index
      .all(uri, 'prov:wasDerivedFrom')
      .filter((origin) => uris.includes(origin) && !passed.includes(origin))
    return 1 + Math.max(0, ...origins.map((origin) => depthOf(origin, [...passed, uri])))
  }
  const depths = new Map(uris.map((uri) => [uri, depthOf(uri, [uri])]))
  return uris.toSorted((a, b) => (depths.get(b) ?? 0) - (depths.get(a) ?? 0) || byName.compare(b, a))
}

const kinds: readonly (readonly [Term, ReasonKind])[] = [
  ['troupe:Task', 'question'],
  ['troupe:Message', 'message'],
  ['tg:Conclusion', 'answer'],
  ['tg:Synthesis', 'synthesis'],
  ['tg:SubagentCompletion', 'completion'],
  ['tg:FanOut', 'fan-out'],
  ['troupe:Goal', 'goal'],
  ['tg:Plan', 'plan'],
  ['troupe:PlanStep', 'plan-step'],
  ['tg:StepResult', 'step-result'],
  ['tg:Analysis', 'iteration'],
  ['tg:Observation', 'observation'],
  ['tg:RoutingDecision', 'routing'],
  ['troupe:Handoff', 'handoff'],
  ['troupe:Choice', 'choice'],
  ['troupe:Feedback', 'feedback'],
  ['troupe:Critique', 'critique'],
  ['troupe:Passage', 'passage'],
  ['troupe:Score', 'score'],
  ['tg:Thought', 'thought'],
]

function kindOf(index: GraphIndex, uri: string): ReasonKind {
  return kinds.find(([type]) => index.is(uri, type))?.[1] ?? 'text'
}
