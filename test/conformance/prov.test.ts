/**
 * The constraints of PROV, by shapes of SHACL that are in `support/prov-shapes.ttl`: a validator of somebody else finds nothing
 * in the provenance of any pattern, and finds every fault that is planted in it.
 * https://www.w3.org/TR/2013/REC-prov-constraints-20130430/
 */
import { JsonLdParser } from 'jsonld-streaming-parser'
import { DataFactory, Parser, Store, type Quad } from 'n3'
import SHACLValidator from 'rdf-validate-shacl'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTroupe } from 'troupe'
import { toProvenance, type Provenance } from 'troupe/provenance'
import { beforeAll, describe, expect, test } from 'vitest'
import { iriOf, terms, type Term } from '../../src/provenance/rdf/terms.ts'
import { allEvents, calls, lead, to, worker } from '../support/agents/agents.ts'
import { transfer } from '../support/agents/handoffs.ts'
import { chains, pairs, playNesting, type Nesting } from '../support/agents/nestings.ts'
import { patterns } from '../support/agents/pattern-tree.ts'
import { leftOut } from './support/left-out.ts'

const { namedNode, literal, quad } = DataFactory

const file = join(import.meta.dirname, 'support/prov-shapes.ttl')
const shapes = new Store(new Parser().parse(readFileSync(file, 'utf8')))
const validator = new SHACLValidator(shapes)
const own = 'urn:check:'
const sh = (name: string) => namedNode(`http://www.w3.org/ns/shacl#${name}`)

/** The shapes that stand by themselves, by their names. */
const names = [
  ...new Set(
    shapes
      .getSubjects(null, null, null)
      .flatMap(({ value }) => (value.startsWith(own) ? [value.slice(own.length)] : [])),
  ),
]

const self = namedNode(`${own}self`)

/** The names of the shapes that a document does not fit. */
async function faultsOf(quads: Iterable<Quad>): Promise<readonly string[]> {
  const data = new Store([...quads].map(({ subject, predicate, object }) => quad(subject, predicate, object)))
  for (const subject of data.getSubjects(null, null, null)) data.add(quad(subject, self, subject))
  const { results } = await validator.validate(data)
  return [...new Set(results.map(({ sourceShape }) => sourceShape?.value.slice(own.length) ?? ''))]
}

const read = (text: string, format = 'Turtle'): readonly Quad[] => new Parser({ format }).parse(text)

async function fromJsonLd(text: string): Promise<readonly Quad[]> {
  const parser = new JsonLdParser()
  parser.end(text)
  const quads: Quad[] = []
  for await (const one of parser) quads.push(one as Quad)
  return quads
}

/** The constraints of the recommendation, by their names in it. */
const constraints = [
  'key-object',
  'key-properties',
  'unique-generation',
  'unique-invalidation',
  'unique-wasStartedBy',
  'unique-wasEndedBy',
  'unique-startTime',
  'unique-endTime',
  'start-precedes-end',
  'start-start-ordering',
  'end-end-ordering',
  'usage-within-activity',
  'generation-within-activity',
  'wasInformedBy-ordering',
  'generation-precedes-invalidation',
  'generation-precedes-usage',
  'usage-precedes-invalidation',
  'generation-generation-ordering',
  'invalidation-invalidation-ordering',
  'derivation-usage-generation-ordering',
  'derivation-generation-generation-ordering',
  'wasStartedBy-ordering',
  'wasEndedBy-ordering',
  'specialization-generation-ordering',
  'specialization-invalidation-ordering',
  'wasAssociatedWith-ordering',
  'wasAttributedTo-ordering',
  'actedOnBehalfOf-ordering',
  'typing',
  'impossible-unspecified-derivation-generation-use',
  'impossible-specialization-reflexive',
  'impossible-property-overlap',
  'impossible-object-property-overlap',
  'entity-activity-disjoint',
  'membership-empty-collection',
]

const noInvalidation = 'The graph has no invalidation: entities of a run last.'
const noStarter = 'The graph has no start or end of an activity by an entity.'
const noUsageTime = 'The graph has no qualified usage, and so no time of one.'
const noSpecialization = 'The graph has no specialization and no alternate.'
const noAgentTimes = 'Agents of the graph are no entities and no activities: they have no times.'
const noIdentifiers = 'Relations of the graph have no identifiers, by which two could be one.'

const notApplying = {
  'key-object': 'A node of RDF is one object, whatever is said of it.',
  'key-properties': noIdentifiers,
  'unique-invalidation': noInvalidation,
  'unique-wasStartedBy': noStarter,
  'unique-wasEndedBy': noStarter,
  'start-start-ordering': noStarter,
  'end-end-ordering': noStarter,
  'usage-within-activity': noUsageTime,
  'generation-precedes-invalidation': noInvalidation,
  'usage-precedes-invalidation': noInvalidation,
  'invalidation-invalidation-ordering': noInvalidation,
  'derivation-usage-generation-ordering': noUsageTime,
  'wasStartedBy-ordering': noStarter,
  'wasEndedBy-ordering': noStarter,
  'specialization-generation-ordering': noSpecialization,
  'specialization-invalidation-ordering': noSpecialization,
  'wasAssociatedWith-ordering': noAgentTimes,
  'wasAttributedTo-ordering': noAgentTimes,
  'actedOnBehalfOf-ordering': noAgentTimes,
  'impossible-unspecified-derivation-generation-use':
    'Derivations of the graph name no generation and no usage.',
  'impossible-specialization-reflexive': noSpecialization,
  'impossible-property-overlap': noIdentifiers,
  'impossible-object-property-overlap': noIdentifiers,
  'membership-empty-collection': 'The graph has no collections and no members.',
}

describe('the shapes', () => {
  test('are of every constraint that applies, and of every word of PROV that we write', () => {
    const ofProv = names.filter((name) => !name.startsWith('prov-o.')).map((name) => name.split('.')[0] ?? '')
    expect([...new Set(ofProv)].toSorted()).toEqual([...leftOut(constraints, notApplying)].toSorted())
    const text = readFileSync(file, 'utf8')
    const words = terms.filter((term) => term.startsWith('prov:'))
    expect(words.length).toBeGreaterThan(10)
    expect(words.filter((word) => !new RegExp(String.raw`${word}\b`).test(text))).toEqual([])
  })
})

const byName = (nesting: Nesting): readonly [string, Nesting] => [nesting.join(' > '), nesting]

describe('the provenance of', () => {
  const seen = new Store()

  test.each([...patterns.map((pattern) => byName([pattern])), ...pairs.map(byName), ...chains.map(byName)])(
    '%s',
    async (_, nesting) => {
      const { events, troupe } = await playNesting(nesting)
      await troupe.close()
      const quads = read(toProvenance(events).toTurtle())
      expect(quads.length).toBeGreaterThan(40)
      expect(await faultsOf(quads)).toEqual([])
      seen.addQuads([...quads])
    },
  )

  test('an agent that hands its conversation on, and one that fails', async () => {
    const billing = worker('billing', ['Paid.'])
    const desk = worker('desk', [calls(transfer('billing'))], { handoffs: { billing: billing.agent } })
    const failing = worker('failing', [{ error: new Error('no line') }], { retries: 0 })
    for (const { agent } of [desk, failing]) {
      const troupe = createTroupe({ agents: [agent] })
      const events = await allEvents(await troupe.start(agent, 'Q?'))
      expect(await faultsOf(read(toProvenance(events).toTurtle()))).toEqual([])
      await troupe.close()
    }
  })

  test('all of them has something for each shape to look at', () => {
    const idle = names.filter((name) => {
      const shape = namedNode(own + name)
      const [byClass, bySubject, byObject] = ['targetClass', 'targetSubjectsOf', 'targetObjectsOf'].map(
        (target) => shapes.getObjects(shape, sh(target), null)[0],
      )
      const found =
        byClass === undefined
          ? seen.countQuads(null, (bySubject ?? byObject) as never, null, null)
          : seen.countQuads(null, namedNode(iriOf('rdf:type')), byClass, null)
      return found === 0
    })
    expect(idle).toEqual([])
  })
})

describe('of one run', () => {
  let graph: Provenance
  let quads: readonly Quad[]

  beforeAll(async () => {
    const agents = { a: worker('helper', ['Helped.']).agent }
    const { agent } = lead('boss', [calls(to('a', 'Go.')), 'Done.'], { agents })
    graph = toProvenance(await allEvents(agent.stream('Q?')))
    quads = read(graph.toTurtle())
  })

  test('all formats fit the shapes', async () => {
    expect(await faultsOf(quads)).toEqual([])
    expect(await faultsOf(read(graph.toTriG(), 'TriG'))).toEqual([])
    expect(await faultsOf(read(graph.toNQuads(), 'N-Quads'))).toEqual([])
    expect(await faultsOf(await fromJsonLd(graph.toJsonLd()))).toEqual([])
  })

  type Said = readonly [subject: string, predicate: Term, object: string]

  interface Planted {
    readonly says: readonly Said[]
    /** What it says stands in the place of what was said of the same subject by the same word. */
    readonly isInPlace?: true
  }

  const past = '1970-01-01T00:00:00.000Z'
  const future = '2999-01-01T00:00:00.000Z'
  const root = () => graph.session
  const helper = () => `${graph.session}/boss/delegation:1.1/helper`
  const answer = () => `${graph.session}/answer`
  const boss = 'urn:trustgraph:definition:boss'
  const nodes = { Entity: answer, Activity: root, Agent: () => boss } as const
  /** Of another kind. */
  const others = { Entity: () => boss, Activity: answer, Agent: root } as const
  type Kind = keyof typeof nodes

  const relations: readonly (readonly [Term, Kind, Kind])[] = [
    ['prov:wasGeneratedBy', 'Entity', 'Activity'],
    ['prov:used', 'Activity', 'Entity'],
    ['prov:wasDerivedFrom', 'Entity', 'Entity'],
    ['prov:wasAttributedTo', 'Entity', 'Agent'],
    ['prov:wasAssociatedWith', 'Activity', 'Agent'],
    ['prov:wasInformedBy', 'Activity', 'Activity'],
    ['prov:actedOnBehalfOf', 'Agent', 'Agent'],
  ]
  const says = (...all: readonly Said[]): Planted => ({ says: all })
  const puts = (...said: Said): Planted => ({ says: [said], isInPlace: true })

  const planted: Readonly<Record<string, () => Planted>> = {
    'entity-activity-disjoint': () => says([answer(), 'rdf:type', iriOf('prov:Activity')]),
    ...Object.fromEntries(
      relations.flatMap(([word, from, into]) => {
        const name = `typing.${word.slice('prov:'.length)}`
        return [
          [`${name}-from`, () => says([others[from](), word, nodes[into]()])],
          [`${name}-to`, () => says([nodes[from](), word, others[into]()])],
        ] as const
      }),
    ),
    'typing.generatedAtTime-from': () => says([root(), 'prov:generatedAtTime', past]),
    'typing.startedAtTime-from': () => says([answer(), 'prov:startedAtTime', past]),
    'typing.endedAtTime-from': () => says([answer(), 'prov:endedAtTime', future]),
    'typing.value-from': () => says([root(), 'prov:value', 'a text']),
    'typing.SoftwareAgent': () => says(['urn:robot', 'rdf:type', iriOf('prov:SoftwareAgent')]),
    'prov-o.generatedAtTime': () => puts(answer(), 'prov:generatedAtTime', 'yesterday'),
    'prov-o.startedAtTime': () => puts(root(), 'prov:startedAtTime', 'yesterday'),
    'prov-o.endedAtTime': () => puts(root(), 'prov:endedAtTime', 'tomorrow'),
    'prov-o.value': () => puts(answer(), 'prov:value', 'urn:words'),
    'prov-o.one-value': () => says([answer(), 'prov:value', 'other words']),
    'unique-generation': () => says([answer(), 'prov:wasGeneratedBy', helper()]),
    'generation-generation-ordering': () => says([answer(), 'prov:generatedAtTime', future]),
    'unique-startTime': () => says([root(), 'prov:startedAtTime', past]),
    'unique-endTime': () => says([root(), 'prov:endedAtTime', future]),
    'start-precedes-end': () => puts(root(), 'prov:endedAtTime', past),
    'generation-within-activity.start': () => puts(answer(), 'prov:generatedAtTime', past),
    'generation-within-activity.end': () => puts(answer(), 'prov:generatedAtTime', future),
    'generation-precedes-usage': () =>
      says(
        ['urn:late', 'rdf:type', iriOf('prov:Entity')],
        ['urn:late', 'prov:generatedAtTime', future],
        [root(), 'prov:used', 'urn:late'],
      ),
    'wasInformedBy-ordering': () =>
      says(
        ['urn:late', 'rdf:type', iriOf('prov:Activity')],
        ['urn:late', 'prov:startedAtTime', future],
        [root(), 'prov:wasInformedBy', 'urn:late'],
      ),
    'derivation-generation-generation-ordering.time': () => puts(answer(), 'prov:generatedAtTime', past),
    'derivation-generation-generation-ordering.circle': () =>
      says([`${root()}/i1`, 'prov:wasDerivedFrom', answer()]),
  }

  test('there is a planted fault for each shape', () => {
    expect(Object.keys(planted).toSorted()).toEqual(names.toSorted())
  })

  const objectOf = (object: string) => {
    if (/^(?:urn|https?):/.test(object)) return namedNode(object)
    return /^\d{4}-/.test(object)
      ? literal(object, namedNode('http://www.w3.org/2001/XMLSchema#dateTime'))
      : literal(object)
  }

  test.each(Object.keys(planted))('%s is found', async (name) => {
    const { says: said, isInPlace = false } = planted[name]?.() ?? says()
    const made = said.map(([subject, word, object]) =>
      quad(namedNode(subject), namedNode(iriOf(word)), objectOf(object)),
    )
    const isReplaced = (one: Quad): boolean =>
      isInPlace &&
      made.some(({ subject, predicate }) => subject.equals(one.subject) && predicate.equals(one.predicate))
    const kept = quads.filter((one) => !isReplaced(one))
    expect(kept.length === quads.length).toBe(!isInPlace)
    expect(await faultsOf([...kept, ...made])).toContain(name)
  })
})
