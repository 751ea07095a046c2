/** The checker finds what it is there to find: else a valid graph would mean nothing. */
import { DataFactory } from 'n3'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toProvenance, type Quad } from 'troupe/provenance'
import { describe, expect, test } from 'vitest'
import { iriOf, terms, type Term } from '../../src/provenance/rdf/terms.ts'
import { allEvents, calls, lead, to, worker } from '../support/agents/agents.ts'
import { transfer } from '../support/agents/handoffs.ts'
import { provProblems } from '../support/prov.ts'

const { literal, namedNode, quad } = DataFactory

async function delegated() {
  const agents = { a: worker('helper', ['Helped.']).agent }
  const { agent } = lead('boss', [calls(to('a', 'Go.')), 'Done.'], { agents })
  return toProvenance(await allEvents(agent.stream('Q?')))
}

const link = (subject: string, predicate: Term, object: string) =>
  quad(namedNode(subject), namedNode(iriOf(predicate)), namedNode(object)) as Quad

const time = (subject: string, predicate: Term, at: string) =>
  quad(namedNode(subject), namedNode(iriOf(predicate)), literal(at, namedNode('xsd:dateTime'))) as Quad

describe('the checker', () => {
  test.for<[string, string, (root: string) => readonly Quad[]]>([
    [
      'a derivation in a circle',
      'which is derived from it',
      (root) => [link(`${root}/i1`, 'prov:wasDerivedFrom', `${root}/answer`)],
    ],
    [
      'something made twice',
      'was generated 2 times',
      (root) => [link(`${root}/answer`, 'prov:wasGeneratedBy', `${root}/boss/delegation:1.1/helper`)],
    ],
    [
      'an entity that is an activity',
      'is Entity and Activity',
      (root) => [link(`${root}/answer`, 'rdf:type', iriOf('prov:Activity'))],
    ],
    [
      'use of an activity',
      'which is no Entity',
      (root) => [link(root, 'prov:used', `${root}/boss/delegation:1.1/helper`)],
    ],
    [
      'an end before the start',
      'ended before it started',
      (root) => [time(root, 'prov:endedAtTime', '1970-01-01T00:00:00.000Z')],
    ],
    [
      'a second end',
      'has 2 prov:endedAtTime',
      (root) => [time(root, 'prov:endedAtTime', '2999-01-01T00:00:00.000Z')],
    ],
    [
      'something that stands alone',
      'does not come of the question',
      () => [link('urn:alone', 'rdf:type', iriOf('prov:Entity'))],
    ],
    ['something that is nothing', 'is nothing', () => [link('urn:alone', 'rdfs:label', 'urn:x')]],
    [
      'a word that there is not',
      'is no word of the vocabulary',
      (root) => [link(root, 'rdf:type', 'urn:troupe:ns:Nonsense')],
    ],
    ['an IRI that is none', 'is no IRI', (root) => [link(root, 'troupe:forkedFrom', 'urn:a b')]],
  ])('finds %s', async ([, problem, broken]) => {
    const graph = await delegated()
    expect(provProblems(graph.quads)).toEqual([])
    const problems = provProblems([...broken(graph.session), ...graph.quads])
    expect(problems.filter((found) => found.includes(problem))).not.toEqual([])
  })

  test.for<[string, string, Term]>([
    ['something that nobody made', 'was generated 0 times', 'prov:wasGeneratedBy'],
    ['something that comes of nothing', 'does not come of the question', 'prov:wasDerivedFrom'],
    ['something made at no time', 'was made at no time', 'prov:generatedAtTime'],
    ['an activity that never started', 'never started', 'prov:startedAtTime'],
    ['a session that hangs nowhere', 'there are 2 runs', 'prov:wasInformedBy'],
  ])('finds %s', async ([, problem, missing]) => {
    const { quads } = await delegated()
    const problems = provProblems(quads.filter(({ predicate }) => predicate.value !== iriOf(missing)))
    expect(problems.filter((found) => found.includes(problem))).not.toEqual([])
  })
})

test.for<[string, Term]>([
  ['names nobody', 'troupe:successor'],
  ['nobody has used', 'prov:used'],
])('the checker finds a handoff that %s', async ([, missing]) => {
  const { agent } = worker('desk', [calls(transfer('clerk'))], { handoffs: [worker('clerk', ['Hi.']).agent] })
  const { quads } = toProvenance(await allEvents(agent.stream('Q?')))
  expect(provProblems(quads)).toEqual([])
  const problems = provProblems(quads.filter(({ predicate }) => predicate.value !== iriOf(missing)))
  expect(problems.filter((found) => found.includes('was handed to'))).not.toEqual([])
})

describe('docs/reference/provenance.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/provenance.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `((?:prov|tg|troupe|rdf|rdfs):\w+)`\s+\| (.*?)\s*\|/gm)].map(
    ([, term = '', meaning = '']) => ({ term, meaning }),
  )

  test('explains every word of the vocabulary once, and no other', () => {
    expect(rows.map(({ term }) => term).toSorted()).toEqual([...terms].toSorted())
    expect(rows.filter(({ meaning }) => meaning === '')).toEqual([])
  })
})
