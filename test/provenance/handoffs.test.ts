/** A handoff in the graph: who goes on has a session of its own, and the answer leads back through it to the question. */
import { createTool, createTroupe, type AgentDefinition } from 'troupe'
import { formatExplanation, provenanceOf, why, type Quad } from 'troupe/provenance'
import { DataFactory } from 'n3'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, until, worker } from '../support/agents/agents.ts'
import { divides, enough, fanOut } from '../support/agents/fan-outs.ts'
import { transfer } from '../support/agents/handoffs.ts'
import { plan, planner } from '../support/agents/planner.ts'
import { exported, provProblems, said } from '../support/prov.ts'
import { done, router } from '../support/agents/routing.ts'

const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: () => 'seen',
})

const on = (key: string, reason?: string) => calls(transfer(key, reason === undefined ? {} : { reason }))

/** Hands on at once. */
const handing = (id: string, target: AgentDefinition, config: object = {}) =>
  worker(id, [on(target.id)], { handoffs: [target], ...config }).agent

describe('at the root', () => {
  test('the successor has a session of its own, and its answer leads back through the handoff', async () => {
    const handoffs = { money: worker('billing', ['Refunded.']).agent, law: worker('legal', []).agent }
    const steps = [{ text: 'One moment.', ...calls({ name: 'look' }, transfer('money', { reason: 'dues' })) }]
    const { agent } = worker('triage', steps, { handoffs, tools: { look } })
    const { graph, text } = await exported(agent)
    expect(text).toBe(
      [
        'billing (completed)',
        '  answer: "Refunded."',
        '  iteration',
        '  question: "Q?"',
        '  handoff from triage to billing',
        '    handoff: money, of money | law (model: "dues")',
        '  observation (succeeded): "seen"',
        '  iteration: "One moment."',
        '    action: look, transfer-to-money, of look | transfer-to-money | transfer-to-law (model)',
        '  question: "Q?"',
      ].join('\n'),
    )
    expect(graph.session).toBe(`urn:trustgraph:agent:${graph.runId}`)
    expect(graph.answer).toBe(`${graph.session}/billing~1/answer`)
    expect(said(graph, 'run:')).toMatchObject({
      'troupe:outcome': ['handedOff'],
      'prov:wasAssociatedWith': ['urn:trustgraph:definition:triage'],
      'tg:inToken': ['20'],
    })
    expect(said(graph, 'run:handoff')).toEqual({
      'rdf:type': ['prov:Entity', 'troupe:Choice', 'troupe:Handoff'],
      'prov:wasGeneratedBy': ['run:'],
      'prov:wasDerivedFrom': ['run:i1', 'run:call:1.1/observation'],
      'troupe:subject': ['handoff'],
      'troupe:candidate': [
        'urn:trustgraph:primitive:triage/handoff/money',
        'urn:trustgraph:primitive:triage/handoff/law',
      ],
      'troupe:chosen': ['urn:trustgraph:primitive:triage/handoff/money'],
      'troupe:criterion': ['model'],
      'troupe:rationale': ['run:handoff/rationale'],
      'troupe:agentId': ['triage'],
      'troupe:successor': ['run:billing~1'],
    })
    expect(said(graph, 'run:handoff/rationale')).toMatchObject({ 'prov:value': ['dues'] })
    expect(said(graph, 'run:billing~1')).toEqual({
      'rdf:type': ['prov:Activity', 'tg:Question', 'tg:AgentQuestion'],
      'prov:wasAssociatedWith': ['urn:trustgraph:definition:billing'],
      'rdfs:label': ['billing at work'],
      'tg:query': ['Q?'],
      'troupe:runId': ['RUN'],
      'troupe:sessionId': ['RUN/billing~1'],
      'prov:used': ['run:billing~1/question', 'run:handoff'],
      'prov:wasInformedBy': ['run:'],
      'troupe:outcome': ['completed'],
    })
    expect(said(graph, 'run:billing~1/question')).toEqual({
      'rdf:type': ['prov:Entity', 'troupe:Task'],
      'prov:wasGeneratedBy': ['run:'],
      'prov:wasDerivedFrom': ['run:handoff', 'run:question'],
      'prov:value': ['Q?'],
    })
    expect(said(graph, 'run:billing~1/i1')['prov:wasDerivedFrom']).toEqual(['run:billing~1/question'])
    expect(said(graph, 'run:billing~1/answer')['prov:wasAttributedTo']).toEqual([
      'urn:trustgraph:definition:billing',
    ])
    // It stands in the place of the one before, and works for nobody.
    expect(said(graph, 'urn:trustgraph:definition:billing')['prov:actedOnBehalfOf']).toBeUndefined()
  })

  /** Two agents that hand to each other, as often as they have steps for it. */
  function pair(first: readonly string[], second: readonly string[], maxHandoffs?: number): AgentDefinition {
    const steps = (key: string, words: readonly string[]) =>
      words.map((word) => (word === '→' ? on(key) : word))
    const cap = maxHandoffs === undefined ? {} : { maxHandoffs }
    const ada: AgentDefinition = worker('ada', steps('bob', first), {
      handoffs: [(): AgentDefinition => bob],
      ...cap,
    }).agent
    const bob: AgentDefinition = worker('bob', steps('ada', second), { handoffs: [ada] }).agent
    return ada
  }

  test('there and back: each time another session, and the way back is through all of them', async () => {
    const { graph, result } = await exported(pair(['→', '→'], ['→', 'Done.']))
    expect(result.handoffs).toHaveLength(3)
    const explanation = why(graph)
    expect(explanation).toMatchObject({ agent: 'bob', outcome: 'completed', answer: 'Done.', question: 'Q?' })
    expect(explanation.session).toBe(`${graph.session}/bob~3`)
    const handoffs = explanation.reasons.filter(({ kind }) => kind === 'handoff')
    expect(handoffs.map(({ agent, successor }) => `${agent} → ${successor}`)).toEqual([
      'ada → bob',
      'bob → ada',
      'ada → bob',
    ])
    expect(explanation.reasons.at(-1)).toMatchObject({ kind: 'question', uri: `${graph.session}/question` })
    for (const [session, before] of [
      ['run:bob~1', 'run:'],
      ['run:ada~2', 'run:bob~1'],
      ['run:bob~3', 'run:ada~2'],
    ] as const) {
      expect(said(graph, session)['prov:wasInformedBy']).toEqual([before])
    }
  })

  test('asked about what came before a handoff, the explanation ends there', async () => {
    const { graph } = await exported(pair(['→', 'Done.'], ['→']))
    const explanation = why(graph, `${graph.session}/bob~1/i1`)
    expect(explanation).toMatchObject({ agent: 'bob', outcome: 'handedOff', answer: undefined })
    expect(explanation).not.toHaveProperty('askedBy')
    expect(explanation.reasons.map(({ kind }) => kind)).toEqual([
      'iteration',
      'question',
      'handoff',
      'iteration',
      'question',
    ])
  })

  test('at the cap: the last word is derived from the step that would have handed on again', async () => {
    const { graph, text } = await exported(pair(['→'], ['→', 'My last word.'], 1))
    expect(said(graph, 'run:bob~1')).toMatchObject({
      'troupe:outcome': ['exhausted'],
      'tg:terminationReason': ['handoffs'],
    })
    expect(said(graph, 'run:bob~1/handoff')).toEqual({})
    expect(said(graph, 'run:bob~1/answer')['prov:wasDerivedFrom']).toEqual(['run:bob~1/i1'])
    expect(text.split('\n').slice(0, 4)).toEqual([
      'bob (exhausted)',
      '  answer: "My last word."',
      '  iteration',
      '    action: transfer-to-ada, of transfer-to-ada (model)',
    ])
  })

  test('of two handoffs in a step the first counts, and both were asked for', async () => {
    const handoffs = [worker('one', ['First.']).agent, worker('two', []).agent]
    const { agent } = worker('triage', [calls(transfer('one'), transfer('two'))], { handoffs })
    const { graph } = await exported(agent)
    expect(said(graph, 'run:i1')['tg:action']).toEqual(['transfer-to-one', 'transfer-to-two'])
    expect(said(graph, 'run:handoff')['troupe:chosen']).toEqual([
      'urn:trustgraph:primitive:triage/handoff/one',
    ])
    expect(graph.answer).toBe(`${graph.session}/one~1/answer`)
  })

  test('where nobody goes on, there is no handoff, but what was chosen', async () => {
    const { agent } = worker('triage', [on('one')], {
      handoffs: [worker('one', []).agent],
      handoffFilter: () => {
        throw new Error('not this')
      },
    })
    const { graph, result } = await exported(agent)
    expect(result.outcome).toBe('failed')
    expect(said(graph, 'run:i1')['tg:action']).toEqual(['transfer-to-one'])
    expect(said(graph, 'run:handoff')).toEqual({})
    expect(said(graph, 'run:')).toMatchObject({
      'troupe:outcome': ['failed'],
      'troupe:error': ['not this'],
    })
  })
})

describe('whatever becomes of the successor', () => {
  test('it fails: the run has no answer, and explains how far it came', async () => {
    const broken = worker('broken', [{ error: new Error('gone') }]).agent
    const { graph, text } = await exported(handing('triage', broken))
    expect(graph.answer).toBeUndefined()
    expect(said(graph, 'run:')).toMatchObject({ 'troupe:outcome': ['handedOff'] })
    expect(said(graph, 'run:')).not.toHaveProperty('troupe:error')
    expect(said(graph, 'run:broken~1')).toMatchObject({
      'troupe:outcome': ['failed'],
      'troupe:errorCode': ['MODEL_FAILED'],
    })
    expect(text).toBe(
      [
        'broken (failed)',
        '  iteration',
        '  question: "Q?"',
        '  handoff from triage to broken',
        '    handoff: broken, of broken (model)',
        '  iteration',
        '    action: transfer-to-broken, of transfer-to-broken (model)',
        '  question: "Q?"',
      ].join('\n'),
    )
  })

  test('it is cancelled', async () => {
    const agent = handing('triage', worker('slow', [{ hang: true }]).agent)
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Q?')
    await until(run, 'step-start', (event) => event.agent === 'slow')
    await run.cancel('enough')
    await run.result
    const graph = await provenanceOf(troupe, run.id)
    expect(provProblems(graph.quads)).toEqual([])
    expect(said(graph, 'run:slow~1')).toMatchObject({
      'troupe:outcome': ['cancelled'],
      'tg:terminationReason': ['enough'],
    })
    expect(formatExplanation(why(graph))).toContain('handoff from triage to slow')
  })

  test('it waits for a person: the graph is of what there is so far', async () => {
    const pay = createTool({
      id: 'pay',
      description: 'Pays.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => 'paid',
    })
    const billing = worker('billing', [calls({ name: 'pay' }), 'Paid.'], { tools: { pay } }).agent
    const agent = handing('triage', billing)
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Q?')
    await run.whenIdle
    const open = await provenanceOf(troupe, run.id)
    expect(provProblems(open.quads)).toEqual([])
    expect(open.answer).toBeUndefined()
    expect(why(open)).toMatchObject({ agent: 'billing', outcome: undefined })
    await run.approve('billing~1/call:1.1')
    await run.result
    const graph = await provenanceOf(troupe, run.id)
    expect(provProblems(graph.quads)).toEqual([])
    expect(graph.answer).toBe(`${graph.session}/billing~1/answer`)
    expect(said(graph, 'run:billing~1/call:1.1/approval')).toMatchObject({
      'troupe:chosen': ['troupe:approve'],
    })
  })

  test('it delegates, and is bailed out of: the answer is derived from that completion', async () => {
    const desk = lead('desk', [calls(to('expert', 'Say.'))], {
      agents: { expert: worker('expert', ['So it is.']).agent },
      delegation: { onDelegationComplete: (context) => context.bail() },
    }).agent
    const { graph, text } = await exported(handing('triage', desk))
    expect(said(graph, 'run:desk~1/answer')['prov:wasDerivedFrom']).toEqual([
      'run:desk~1/delegation:1.1/expert/completion',
    ])
    expect(text).toContain('desk (bailed)\n  answer: "So it is."\n  completion of expert (bailed)')
  })

  const plans = [plan({ id: 's1', goal: 'Look.', toolHint: 'look', args: {} })]
  test.for<[string, AgentDefinition, string]>([
    ['a router', router('target', [done('Routed.')], { tools: { look } }).agent, 'routing'],
    ['a planner', planner({ plans }, { description: 'Plans.', tools: { look } }).agent, 'plan'],
  ])('it is %s', async ([, target, kind]) => {
    const { graph, result } = await exported(handing('triage', target))
    expect(result).toMatchObject({ outcome: 'completed', by: target.id })
    const kinds: string[] = why(graph).reasons.map((reason) => reason.kind)
    expect(kinds).toEqual(expect.arrayContaining([kind, 'handoff']))
    expect(kinds.indexOf(kind)).toBeLessThan(kinds.indexOf('handoff'))
  })
})

describe('in a delegation', () => {
  test('within a round of a fan-out, the synthesis is derived from what the successor answered', async () => {
    const agents = {
      a: handing('desk', handing('clerk', worker('boss', ['B says.']).agent)),
      b: worker('other', ['O says.']).agent,
    }
    const goals = divides({ goal: 'g1', agent: 'a' }, { goal: 'g2', agent: 'b' })
    const { graph, text } = await exported(fanOut('board', [goals, enough, 'Both.'], { agents }).agent)
    const last = 'run:board/delegation:1.1/boss~2'
    const [correlation = ''] = said(graph, 'run:board/delegation:1.1/desk')['tg:parentCorrelationId'] ?? []
    expect(said(graph, last)).toMatchObject({
      'prov:wasInformedBy': ['run:board/delegation:1.1/clerk~1'],
      'tg:parentSessionId': ['RUN'],
      'tg:parentCorrelationId': [correlation],
      'troupe:outcome': ['succeeded'],
    })
    expect(said(graph, `${last}/completion`)).toMatchObject({
      'prov:wasGeneratedBy': [last],
      'prov:wasDerivedFrom': [`${last}/answer`],
      'troupe:agentId': ['desk'],
      'tg:subagentSessionId': ['RUN/board/delegation:1.1/boss~2'],
      'tg:subagentGoal': ['g1'],
    })
    const synthesis = said(graph, `run:synthesis/${correlation.replaceAll('/', '%2F')}`)
    expect(synthesis['prov:wasDerivedFrom']).toEqual(
      expect.arrayContaining([`${last}/answer`, `${last}/completion`]),
    )
    expect(said(graph, 'urn:trustgraph:definition:boss')['prov:actedOnBehalfOf']).toEqual([
      'urn:trustgraph:definition:board',
    ])
    expect(text).toContain(
      [
        '  completion of desk (succeeded)',
        '    answer: "B says."',
        '    iteration',
        '    question: "g1"',
        '    handoff from clerk to boss',
        '      handoff: boss, of boss (model)',
        '    iteration',
        '      action: transfer-to-boss, of transfer-to-boss (model)',
        '    question: "g1"',
        '    handoff from desk to clerk',
        '      handoff: clerk, of clerk (model)',
        '    iteration',
        '      action: transfer-to-clerk, of transfer-to-clerk (model)',
        '    question: "g1"',
        '  completion of other (succeeded)',
      ].join('\n'),
    )
    // Asked about by itself, the answer leads up to whoever had delegated to the first of the line.
    const explanation = why(graph, `${graph.session}/board/delegation:1.1/boss~2/answer`)
    expect(explanation).toMatchObject({ agent: 'boss', askedBy: { agent: 'board' } })
    expect(explanation.askedBy?.reasons.map(({ kind }) => kind)).toEqual([
      'goal',
      'fan-out',
      'iteration',
      'question',
    ])
  })

  test('a delegation of the successor hangs below its session', async () => {
    const desk = lead('desk', [calls(to('expert', 'Say.')), 'Told.'], {
      agents: { expert: handing('expert', worker('other', ['Facts.']).agent) },
    }).agent
    const { agent } = lead('boss', [calls(to('a', 'Ask.')), 'All.'], {
      agents: { a: handing('clerk', desk) },
    })
    const { graph, text } = await exported(agent)
    const session = 'run:boss/delegation:1.1/desk~1'
    expect(said(graph, `${session}/delegation:1.1/expert`)).toMatchObject({
      'prov:wasInformedBy': [session],
      'tg:parentSessionId': ['RUN/boss/delegation:1.1/desk~1'],
    })
    expect(text).toContain('    completion of expert (succeeded)\n      answer: "Facts."')
    const explanation = why(
      graph,
      `${graph.session}/boss/delegation:1.1/desk~1/delegation:1.1/other~1/answer`,
    )
    expect(explanation).toMatchObject({
      agent: 'other',
      askedBy: { agent: 'desk', askedBy: { agent: 'boss' } },
    })
  })

  test('cancelled in the successor, its completion is derived from what that had come to', async () => {
    const agent = lead('boss', [calls(to('a', 'Ask.')), 'Without.'], {
      agents: { a: handing('desk', worker('slow', [{ hang: true }]).agent) },
    }).agent
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Q?')
    await until(run, 'step-start', ({ path }) => path.endsWith('slow~1'))
    await run.cancel('enough', { delegationId: 'boss/delegation:1.1' })
    await run.result
    const graph = await provenanceOf(troupe, run.id)
    expect(provProblems(graph.quads)).toEqual([])
    const session = 'run:boss/delegation:1.1/slow~1'
    expect(said(graph, `${session}/completion`)).toMatchObject({
      'prov:wasDerivedFrom': [`${session}/i1`],
      'troupe:outcome': ['cancelled'],
    })
  })
})

test('a stored graph that leads back to itself is explained all the same', async () => {
  const { agent } = worker('triage', [on('billing')], { handoffs: [worker('billing', ['Refunded.']).agent] })
  const { graph } = await exported(agent)
  const { predicate: madeBy } = graph.quads.find(({ predicate }) =>
    predicate.value.endsWith('wasGeneratedBy'),
  ) as Quad
  const { quad: quadOf, namedNode } = DataFactory
  const loops = graph.quads.flatMap(({ subject, predicate, object }): Quad[] => {
    const [from, to] = [namedNode(subject.value), namedNode(object.value)]
    if (predicate.value.endsWith('successor')) return [quadOf(from, namedNode(madeBy.value), to) as Quad]
    if (!predicate.value.endsWith('wasDerivedFrom')) return []
    return [quadOf(to, namedNode(predicate.value), from) as Quad]
  })
  expect(loops.length).toBeGreaterThan(2)
  expect(formatExplanation(why([...loops, ...graph.quads]))).toContain('handoff from triage to billing')
})
