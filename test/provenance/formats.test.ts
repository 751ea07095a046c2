/** The four formats hold the same statements, whatever agents, tools and people write. */
import fc from 'fast-check'
import { JsonLdParser } from 'jsonld-streaming-parser'
import { Store, type Quad as ParsedQuad } from 'n3'
import { ConfigurationError, createTroupe, type RunEvent } from 'troupe'
import { provenanceOf, toProvenance, why, type Provenance } from 'troupe/provenance'
import { describe, expect, test } from 'vitest'
import { allEvents, calls, lead, to, worker } from '../support/agents/agents.ts'
import { parsed, provProblems, statements } from '../support/prov.ts'

async function fromJsonLd(text: string): Promise<ParsedQuad[]> {
  const parser = new JsonLdParser()
  parser.end(text)
  const quads: ParsedQuad[] = []
  for await (const quad of parser) quads.push(quad as ParsedQuad)
  return quads
}

async function expectSameInAllFormats(graph: Provenance): Promise<void> {
  const expected = statements(graph.quads)
  expect(statements(parsed(graph.toTriG(), 'TriG'))).toEqual(expected)
  expect(statements(parsed(graph.toNQuads(), 'N-Quads'))).toEqual(expected)
  expect(statements(await fromJsonLd(graph.toJsonLd()))).toEqual(expected)
  // Turtle has no graphs: what two of them say is said once.
  const union = (lines: readonly string[]) => [
    ...new Set(lines.map((line) => JSON.stringify((JSON.parse(line) as string[]).slice(0, -1)))),
  ]
  const turtle = parsed(graph.toTurtle(), 'Turtle')
  expect(union(statements(turtle))).toEqual(union(expected).toSorted())
  expect(turtle).toHaveLength(new Set(union(expected)).size)
}

async function delegated(): Promise<RunEvent[]> {
  const agents = { a: worker('helper', ['Helped.']).agent }
  const { agent } = lead('boss', [calls(to('a', 'Go.')), 'Done.'], { agents })
  return allEvents(agent.stream('Q?'))
}

test('Turtle, TriG, N-Quads and JSON-LD are read back as the same statements', async () => {
  const graph = toProvenance(await delegated())
  await expectSameInAllFormats(graph)
  expect(graph.toNQuads().trim().split('\n')).toHaveLength(graph.quads.length)
})

test('each session has a graph; what sessions share stands in the default graph', async () => {
  const { quads, session } = toProvenance(await delegated())
  const graphs = new Set(quads.map(({ graph }) => graph.value))
  expect([...graphs]).toEqual(['', `${session}/graph`, `${session}/boss/delegation:1.1/helper/graph`])
  const shared = quads.filter(({ graph }) => graph.termType === 'DefaultGraph')
  expect(new Set(shared.map(({ subject }) => subject.value))).toEqual(
    new Set(['urn:trustgraph:definition:boss', 'urn:trustgraph:definition:helper']),
  )
})

test('the quads are RDF/JS quads', async () => {
  const graph = toProvenance(await delegated())
  const store = new Store(graph.quads)
  expect(store.size).toBe(graph.quads.length)
  const derived = 'http://www.w3.org/ns/prov#wasDerivedFrom'
  expect(store.getObjects(graph.answer ?? '', derived, null).map(({ value }) => value)).toEqual([
    `${graph.session}/i2`,
  ])
})

describe('the prefix', () => {
  test('stands before every URI that is ours', async () => {
    const events = await delegated()
    const graph = toProvenance(events, { prefix: 'https://example.org/runs/' })
    expect(graph.answer).toBe(`https://example.org/runs/agent:${graph.runId}/answer`)
    expect(graph.toNQuads()).not.toContain('urn:trustgraph:')
    expect(provProblems(graph.quads)).toEqual([])
    await expectSameInAllFormats(graph)
  })

  test.each(['', 'no colon', 'urn:a b', 'urn:<x>', 'urn:"', '1:x', 'urn:\uD800', 7])(
    '%j begins no URI',
    async (prefix) => {
      const events = await delegated()
      expect(() => toProvenance(events, { prefix: prefix as string })).toThrow(ConfigurationError)
      expect(() => toProvenance(events, { prefix: prefix as string })).toThrow('prefix must begin a URI')
    },
  )
})

describe('what is no run', () => {
  test('no events, events of two runs, and events from the middle', async () => {
    const [one, two] = [await delegated(), await delegated()]
    expect(() => toProvenance([])).toThrow('there are no events of a run')
    expect(() => toProvenance([...one, ...two])).toThrow('the events are of two runs')
    expect(() => toProvenance(one.slice(1))).toThrow('from its first one on')
    expect(() => toProvenance(one, { bogus: 1 } as object)).toThrow(
      'there is no option "bogus". Known: prefix.',
    )
  })

  test('a run that is not there', async () => {
    const { agent } = worker('solo', [])
    const troupe = createTroupe({ agents: [agent] })
    await expect(provenanceOf(troupe, 'nowhere')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    await expect(provenanceOf(troupe, 'nowhere', { prefix: '' })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    })
  })
})

/** All that may break a literal or an IRI, and whatever else there is. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      ...Array.from('"\'\\<>{}|^`%#?/:;,.@ \t\n\r\b\f\0\u001B\u007F\u0085\u00A0\u2028\uFEFF\uFFFE\uFFFF😀'),
    ),
  }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
)

test('hostile texts and ids never give invalid RDF', async () => {
  const fanOut = { correlationId: 'c', round: 1 }
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { minLength: 8, maxLength: 8 }), async (texts) => {
      const [runId = '', id = '', key = '', task = '', goal = '', answer = '', why_ = '', tool = ''] = texts
      const boss = `boss${id.replaceAll(/[/:]/g, '')}`
      const child = { agentName: key, agentId: 'helper' }
      const delegation = `${boss}/delegation:1.1`
      let seq = 0
      const at = (path: string, type: string, payload: object): RunEvent =>
        ({ type, payload, path, agent: boss, runId, seq: ++seq, at: seq }) as unknown as RunEvent
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2, cost: 0.1 + 1e-9 }
      const graph = toProvenance([
        at(boss, 'run-start', { task }),
        at(boss, 'pattern-selected', {
          taskType: key,
          pattern: id,
          decisions: [
            { subject: 'task-type', candidates: [key, id], choice: key, criterion: 'model', rationale: why_ },
            { subject: 'pattern', candidates: [id], choice: id, criterion: 'fallback', fallback: why_ },
          ],
        }),
        at(boss, 'step-start', { step: 1, offered: [tool, key] }),
        at(boss, 'reasoning-end', { text: why_, status: 'complete' }),
        at(boss, 'routing-decision', {
          iteration: 1,
          candidates: [
            { primitiveId: key, primitiveType: 'agent' },
            { primitiveId: tool, primitiveType: 'tool' },
          ],
          primitiveId: key,
          primitiveType: 'agent',
          prompt: goal,
          selectionReason: why_,
          criterion: 'model',
        }),
        at(boss, 'fan-out', { ...fanOut, correlationId: id, goals: [{ id: delegation, goal, ...child }] }),
        at(`${boss}/call:1.2`, 'tool-call', { toolCallId: id, toolName: tool, args: { [key]: goal } }),
        at(`${boss}/call:1.2`, 'tool-error', {
          outcome: 'failed',
          error: { name: 'E', code: key, message: why_ },
        }),
        at(delegation, 'delegation-start', { ...child, prompt: goal }),
        at(`${delegation}/helper`, 'plan-created', {
          revision: 1,
          steps: [{ id, revision: 1, goal, toolHint: tool, dependsOn: [id], status: 'pending' }],
        }),
        at(`${delegation}/helper`, 'plan-step-end', {
          stepId: id,
          revision: 1,
          status: 'complete',
          result: goal,
        }),
        at(delegation, 'delegation-end', { ...child, outcome: 'succeeded', text: answer }),
        at(boss, 'step-finish', {
          step: 1,
          finishReason: 'stop',
          usage,
          toolCalls: 1,
          handoffs: [`transfer-to-${key}`],
        }),
        at(boss, 'synthesis-start', { ...fanOut, correlationId: id, missing: [] }),
        at(boss, 'scorer-result', { id: key, score: 0.5, reason: why_, passed: true }),
        at(boss, 'handoff', { from: boss, to: key, reason: why_ }),
        at(boss, 'run-finish', { outcome: 'completed', text: answer, usage }),
      ])
      expect(provProblems(graph.quads)).toEqual([])
      await expectSameInAllFormats(graph)
      const explanation = why(graph)
      expect(explanation.answer ?? '').toBe(answer.toWellFormed())
      expect(explanation.question).toBe(task.toWellFormed())
    }),
    { numRuns: 100 },
  )
})
