/** From an answer back to the question: through synthesis, delegations and the routing decision, with every choice. */
import { ConfigurationError, createMetaRouter, createTroupe, type Run } from 'troupe'
import { formatExplanation, provenanceOf, toProvenance, why, type Explanation } from 'troupe/provenance'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { allEvents, calls, lead, to, worker } from '../support/agents/agents.ts'
import { divides, enough, fanOut } from '../support/agents/fan-outs.ts'
import { parsed, provProblems } from '../support/prov.ts'

/** Four dimensions of a risk, one of which cannot be looked into. */
function desk() {
  const model = scriptedModel([
    JSON.stringify({ taskType: 'risk-assessment', rationale: 'A partner is to be judged.' }),
    JSON.stringify({ pattern: 'supervisor', rationale: 'There are independent dimensions.' }),
  ])
  const analyst = (id: string, says: string) => worker(id, [says]).agent
  const board = fanOut(
    'board',
    [
      divides(
        { goal: 'Judge the finances.', agent: 'finance' },
        { goal: 'Judge the law suits.', agent: 'law' },
        { goal: 'Judge the press.', agent: 'press' },
      ),
      enough,
      'A moderate risk.',
    ],
    {
      agents: {
        finance: analyst('accountant', 'Solid.'),
        law: worker('lawyer', [{ error: new Error('The archive is closed.') }], { retries: 0 }).agent,
        press: analyst('reader', 'Friendly.'),
      },
      toolCallConcurrency: 1, // one after the other, so that there is one order
    },
  ).agent
  const react = analyst('thinker', 'Hm.')
  return createMetaRouter({
    id: 'desk',
    instructions: 'Route.',
    model,
    agents: { supervisor: board, react, 'plan-then-execute': analyst('schemer', 'Hm.') },
  })
}

async function asked(): Promise<{
  run: Run
  agent: ReturnType<typeof desk>
  troupe: ReturnType<typeof createTroupe>
}> {
  const agent = desk()
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'How risky is Company X?')
  await run.result
  return { run, agent, troupe }
}

describe('a fan-out under a meta-router, with one failed child', () => {
  test('the whole chain, as text', async () => {
    const { run, troupe } = await asked()
    const graph = await provenanceOf(troupe, run.id)
    expect(provProblems(graph.quads)).toEqual([])
    expect(formatExplanation(why(graph))).toBe(
      [
        'desk (completed)',
        '  answer: "A moderate risk."',
        '  completion of board (succeeded)',
        '    answer: "A moderate risk."',
        '    iteration',
        '    synthesis',
        '      without lawyer (failed)',
        '    completion of reader (succeeded)',
        '      answer: "Friendly."',
        '      iteration',
        '      question: "Judge the press."',
        '    completion of lawyer (failed): "The archive is closed."',
        '      iteration',
        '      question: "Judge the law suits."',
        '    completion of accountant (succeeded)',
        '      answer: "Solid."',
        '      iteration',
        '      question: "Judge the finances."',
        '    goal: "Judge the press."',
        '    goal: "Judge the law suits."',
        '    goal: "Judge the finances."',
        '    fan-out',
        '    iteration',
        '      action: agent-finance, agent-law, agent-press, of agent-finance | agent-law | agent-press (model)',
        '    question: "How risky is Company X?"',
        '  routing',
        '  chose pattern: supervisor, of supervisor | plan-then-execute | react (model: "There are independent dimensions.")',
        '  chose task-type: risk-assessment, of general | research | risk-assessment | summarisation (model: "A partner is to be judged.")',
        '  question: "How risky is Company X?"',
      ].join('\n'),
    )
  })

  test('the whole chain, as data', async () => {
    const { run, troupe } = await asked()
    const graph = await provenanceOf(troupe, run.id)
    const explanation = why(graph)
    expect(explanation).toMatchObject({
      session: graph.session,
      agent: 'desk',
      question: 'How risky is Company X?',
      outcome: 'completed',
      answer: 'A moderate risk.',
    })
    expect(explanation.reasons.map(({ kind }) => kind)).toEqual([
      'answer',
      'completion',
      'routing',
      'choice',
      'choice',
      'question',
    ])
    expect(explanation.reasons.flatMap(({ choices }) => choices)).toEqual([
      {
        subject: 'pattern',
        options: ['supervisor', 'plan-then-execute', 'react'],
        chosen: ['supervisor'],
        criterion: 'model',
        rationale: 'There are independent dimensions.',
      },
      {
        subject: 'task-type',
        options: ['general', 'research', 'risk-assessment', 'summarisation'],
        chosen: ['risk-assessment'],
        criterion: 'model',
        rationale: 'A partner is to be judged.',
      },
    ])
    const board = explanation.reasons[1]?.delegation
    const synthesis = board?.reasons.find(({ kind }) => kind === 'synthesis')
    const completions = board?.reasons.filter(({ kind }) => kind === 'completion') ?? []
    expect(completions.map(({ agent, outcome }) => `${agent} ${outcome}`).toSorted()).toEqual([
      'accountant succeeded',
      'lawyer failed',
      'reader succeeded',
    ])
    const failed = completions.find(({ agent }) => agent === 'lawyer')
    expect(synthesis?.missing).toEqual([failed?.uri])
    // Of every conclusion and every completion, the failed one included.
    const conclusions = completions.flatMap(({ delegation }) =>
      (delegation?.reasons ?? []).filter(({ kind }) => kind === 'answer').map(({ uri }) => uri),
    )
    expect(conclusions).toHaveLength(2)
    expect(synthesis?.from).toEqual(
      expect.arrayContaining([...conclusions, ...completions.map(({ uri }) => uri)]),
    )
    everyStepLeadsOn(explanation)
  })

  test('one child, asked about by itself, leads up to the question of the run', async () => {
    const { run, troupe } = await asked()
    const graph = await provenanceOf(troupe, run.id)
    const answer = `${graph.session}/desk/delegation:1.1/board/delegation:1.3/reader/answer`
    const explanation = why(graph, answer)
    expect(formatExplanation(explanation)).toBe(
      [
        'reader (succeeded)',
        '  answer: "Friendly."',
        '  iteration',
        '  question: "Judge the press."',
        'asked by',
        '  board (succeeded)',
        '    goal: "Judge the press."',
        '    fan-out',
        '    iteration',
        '      action: agent-finance, agent-law, agent-press, of agent-finance | agent-law | agent-press (model)',
        '    question: "How risky is Company X?"',
        '  asked by',
        '    desk (completed)',
        '      routing',
        '      chose pattern: supervisor, of supervisor | plan-then-execute | react (model: "There are independent dimensions.")',
        '      chose task-type: risk-assessment, of general | research | risk-assessment | summarisation (model: "A partner is to be judged.")',
        '      question: "How risky is Company X?"',
      ].join('\n'),
    )
  })

  test('one completion, asked about by itself, has what its subagent did below it', async () => {
    const { run, troupe } = await asked()
    const graph = await provenanceOf(troupe, run.id)
    const board = `${graph.session}/desk/delegation:1.1/board`
    const explanation = why(graph, `${board}/delegation:1.2/lawyer/completion`)
    expect(explanation).toMatchObject({ session: board, askedBy: { session: graph.session } })
    expect(explanation.reasons[0]).toMatchObject({ kind: 'completion', agent: 'lawyer', outcome: 'failed' })
    expect(explanation.reasons[0]?.delegation?.reasons.map(({ kind }) => kind)).toEqual([
      'iteration',
      'question',
    ])
    expect(explanation.reasons.at(-1)?.kind).toBe('question')
  })

  test.each(['Turtle', 'TriG', 'N-Quads'] as const)(
    'stored as %s and read again, it answers the same',
    async (format) => {
      const { run, troupe } = await asked()
      const graph = await provenanceOf(troupe, run.id)
      const text = { Turtle: graph.toTurtle(), TriG: graph.toTriG(), 'N-Quads': graph.toNQuads() }[format]
      expect(formatExplanation(why(parsed(text, format) as typeof graph.quads))).toBe(
        formatExplanation(why(graph)),
      )
    },
  )
})

/** Whatever a step was derived from is a later step of the same explanation, or of the one of a subagent. */
function everyStepLeadsOn(explanation: Explanation, above: readonly string[] = []): void {
  const below = (one: Explanation): string[] =>
    one.reasons.flatMap(({ uri, delegation }) => [
      uri,
      ...(delegation === undefined ? [] : below(delegation)),
    ])
  const known = [...above, ...below(explanation)]
  for (const [position, { uri, from, delegation, kind }] of explanation.reasons.entries()) {
    const isGiven = kind === 'question' && above.length === 0
    expect({ uri, isDerived: from.length > 0 }).toEqual({ uri, isDerived: !isGiven })
    const own = explanation.reasons.map((reason) => reason.uri)
    for (const origin of from) {
      expect(known).toContain(origin)
      if (own.includes(origin)) expect(own.indexOf(origin)).toBeGreaterThan(position)
    }
    if (delegation !== undefined) everyStepLeadsOn(delegation, known)
  }
}

describe('whatever is asked about', () => {
  test('a run without an answer explains how far it came', async () => {
    const helper = worker('helper', ['Helped.']).agent
    const { agent } = lead('boss', [calls(to('aid', 'Help.')), { error: new Error('gone') }], {
      agents: { aid: helper },
      retries: 0,
      onExhausted: 'stop',
    })
    const run = agent.stream('Do it.')
    const graph = toProvenance(await allEvents(run))
    expect(graph.answer).toBeUndefined()
    const explanation = why(graph)
    expect(explanation).toMatchObject({ outcome: 'failed', answer: undefined })
    expect(formatExplanation(explanation)).toBe(
      [
        'boss (failed)',
        '  iteration',
        '    action: none, of agent-aid (model)',
        '  completion of helper (succeeded)',
        '    answer: "Helped."',
        '    iteration',
        '    question: "Help."',
        '  iteration',
        '    action: agent-aid, of agent-aid (model)',
        '  question: "Do it."',
      ].join('\n'),
    )
  })

  test('a graph of several runs needs to be told which answer', async () => {
    const graphs = await Promise.all([1, 2].map(async () => (await asked()).run))
    const made = await Promise.all(graphs.map(async (run) => toProvenance(await allEvents(run))))
    const quads = made.flatMap((graph) => graph.quads)
    expect(() => why(quads)).toThrow(ConfigurationError)
    expect(() => why(quads)).toThrow('the graph has 2 runs: name the answer')
    for (const graph of made) expect(why(quads, graph.answer)).toEqual(why(graph))
  })

  test('a thousand children are a thousand completions, each with what its subagent did', async () => {
    const goals = Array.from({ length: 1_000 }, (_, index) => ({ goal: `g${index}`, agent: 'a' }))
    const agents = { a: worker('child', [], { otherwise: 'Done.' }).agent }
    const { agent } = fanOut('fan', [divides(...goals), enough, 'Sum.'], { agents, maxGoals: 1_000 })
    const { reasons } = why(toProvenance(await allEvents(agent.stream('Q?'))))
    const completions = reasons.filter(({ kind }) => kind === 'completion')
    expect(completions).toHaveLength(1_000)
    expect(new Set(completions.map(({ delegation }) => delegation?.question)).size).toBe(1_000)
    expect(reasons.find(({ kind }) => kind === 'synthesis')?.from).toHaveLength(2_001)
  })

  test('what is not there cannot be asked about', async () => {
    const graph = toProvenance(await allEvents(worker('solo', ['Hi.']).agent.stream('Hello.')))
    expect(() => why(graph, 'urn:none')).toThrow('why: the graph has no entity <urn:none>.')
    expect(() => why([])).toThrow('why: the graph has no run.')
  })

  test('long texts are cut, never in the middle of a character', async () => {
    const graph = toProvenance(
      await allEvents(worker('solo', ['😀'.repeat(50)]).agent.stream('Why\n  so long?')),
    )
    expect(formatExplanation(why(graph), { width: 10 })).toBe(
      ['solo (completed)', `  answer: "${'😀'.repeat(4)}…"`, '  iteration', '  question: "Why so lo…"'].join(
        '\n',
      ),
    )
  })
})
