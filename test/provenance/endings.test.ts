/** However a run ends, or does not, its graph is valid and says so. */
import { createTool, createTroupe, memoryStore, type AgentDefinition, type RunEvent } from 'troupe'
import { formatExplanation, provenanceOf, toProvenance, why } from 'troupe/provenance'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, to, until, worker } from '../support/agents/agents.ts'
import { exported, provProblems, said } from '../support/prov.ts'

const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: () => 'seen',
})

test('bailed: the answer is derived from the completion of who bailed, and from no other', async () => {
  const agents = { a: worker('first', ['One.']).agent, b: worker('second', ['Two.']).agent }
  const { agent } = lead('boss', [calls(to('a', 'Go.'), to('b', 'Go.'))], {
    agents,
    bailStrategy: 'last',
    delegation: { onDelegationComplete: ({ agentName, bail }) => (agentName === 'a' ? bail() : undefined) },
  })
  const { graph, text, result } = await exported(agent)
  expect(result.outcome).toBe('bailed')
  expect(said(graph, 'run:answer')['prov:wasDerivedFrom']).toEqual([
    'run:boss/delegation:1.1/first/completion',
  ])
  expect(text).toBe(
    [
      'boss (bailed)',
      '  answer: "One."',
      '  completion of first (bailed)',
      '    answer: "One."',
      '    iteration',
      '    question: "Go."',
      '  iteration',
      '    action: agent-a, agent-b, of agent-a | agent-b (model)',
      '  question: "Q?"',
    ].join('\n'),
  )
})

test('exhausted: the last word is derived from what there was', async () => {
  const { agent } = worker('solo', [calls({ name: 'look' }), 'My best.'], { tools: { look }, maxSteps: 1 })
  const { graph } = await exported(agent)
  expect(said(graph, 'run:')).toMatchObject({
    'troupe:outcome': ['exhausted'],
    'tg:terminationReason': ['maxSteps'],
  })
  expect(said(graph, 'run:answer')['prov:wasDerivedFrom']).toEqual(['run:i1', 'run:call:1.1/observation'])
})

test('failed: with its error, and the attempts that were made', async () => {
  const error = Object.assign(new Error('busy'), { retryable: true })
  const { agent } = worker('solo', [{ error }, { error: new Error('gone') }])
  const { graph, result } = await exported(agent)
  expect(result.outcome).toBe('failed')
  expect(graph.answer).toBeUndefined()
  expect(said(graph, 'run:')).toMatchObject({
    'troupe:outcome': ['failed'],
    'troupe:errorCode': ['MODEL_FAILED'],
  })
})

test('rejected: a completion without a session', async () => {
  const { agent } = lead('boss', [calls(to('a', 'Go.')), 'Alone, then.'], {
    agents: { a: worker('first', []).agent },
    delegation: { onDelegationStart: () => ({ proceed: false, rejectionReason: 'not today' }) },
  })
  const { graph } = await exported(agent)
  const child = 'run:boss/delegation:1.1/first'
  expect(said(graph, `${child}/completion`)).toMatchObject({
    'prov:wasGeneratedBy': ['run:'],
    'prov:wasDerivedFrom': ['run:i1'],
    'troupe:outcome': ['rejected'],
    'troupe:error': ['not today'],
    'tg:status': ['error'],
  })
  expect(said(graph, 'run:i1')['tg:action']).toEqual(['agent-a'])
  expect(said(graph, child)).toEqual({})
  expect(said(graph, 'run:i2')['prov:wasDerivedFrom']).toEqual(['run:i1', `${child}/completion`])
})

test('a delegation that ended before it began shows that the model had replied', () => {
  let seq = 0
  const at = (time: number, path: string, type: string, payload: object): RunEvent =>
    ({ type, payload, path, agent: 'boss', runId: 'r', seq: ++seq, at: time }) as unknown as RunEvent
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const graph = toProvenance([
    at(1, 'boss', 'run-start', { task: 'Q?' }),
    at(2, 'boss', 'step-start', { step: 1 }),
    at(3, 'boss/delegation:1.1', 'delegation-end', {
      agentName: 'a',
      agentId: 'first',
      outcome: 'failed',
      text: '',
    }),
    at(9, 'boss', 'step-finish', { step: 1, finishReason: 'tool-calls', usage, toolCalls: 1 }),
  ])
  expect(provProblems(graph.quads)).toEqual([])
  const made = graph.quads.filter(({ predicate }) => predicate.value.endsWith('#generatedAtTime'))
  expect(made.map(({ subject, object }) => `${subject.value} ${object.value}`)).toEqual([
    'urn:trustgraph:agent:r/i1 1970-01-01T00:00:00.003Z',
    'urn:trustgraph:agent:r/boss/delegation:1.1/first/completion 1970-01-01T00:00:00.003Z',
  ])
})

test('cancelled: what was under way has ended, and nothing is derived from it', async () => {
  const { agent } = lead('boss', [calls(to('a', 'Go.'))], {
    agents: { a: worker('first', [{ hang: true }]).agent },
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Q?')
  await until(run, 'step-start', (event) => event.agent === 'first')
  await run.cancel('enough')
  await run.result
  const graph = await provenanceOf(troupe, run.id)
  expect(provProblems(graph.quads)).toEqual([])
  expect(said(graph, 'run:')).toMatchObject({
    'troupe:outcome': ['cancelled'],
    'tg:terminationReason': ['enough'],
  })
  expect(said(graph, 'run:boss/delegation:1.1/first')).toMatchObject({ 'troupe:outcome': ['cancelled'] })
  expect(formatExplanation(why(graph))).toContain('completion of first (cancelled)')
})

describe('approvals', () => {
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'paid',
  })

  test('a suspended run has a graph; when it is answered, the choice is in it', async () => {
    const { agent } = worker('clerk', [calls({ name: 'pay' }), 'Done.'], { tools: { pay } })
    const troupe = createTroupe({ agents: [agent], store: memoryStore() })
    const run = await troupe.start(agent, 'Q?')
    await run.whenIdle
    const open = await provenanceOf(troupe, run.id)
    expect(provProblems(open.quads)).toEqual([])
    expect(open.answer).toBeUndefined()
    expect(formatExplanation(why(open))).toBe(
      ['clerk (not ended)', '  iteration', '    action: pay, of pay (model)', '  question: "Q?"'].join('\n'),
    )
    await run.approve('clerk/call:1.1')
    await run.result
    const graph = await provenanceOf(troupe, run.id)
    expect(provProblems(graph.quads)).toEqual([])
    expect(formatExplanation(why(graph))).toBe(
      [
        'clerk (completed)',
        '  answer: "Done."',
        '  iteration',
        '    action: none, of pay (model)',
        '  observation (succeeded): "paid"',
        '  chose approval of pay: approve, of approve | deny (person)',
        '  iteration',
        '    action: pay, of pay (model)',
        '  question: "Q?"',
      ].join('\n'),
    )
    // What was said before still stands.
    const before = new Set(graph.toNQuads().split('\n'))
    const lost = open
      .toNQuads()
      .split('\n')
      .filter((line) => !before.has(line))
    expect(lost.filter((line) => !line.includes('/i1>'))).toEqual([])
  })

  test('denied, with the reason', async () => {
    const { agent } = worker('clerk', [calls({ name: 'pay' }), 'Then not.'], { tools: { pay } })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Q?')
    await run.whenIdle
    await run.deny('clerk/call:1.1', 'too dear')
    await run.result
    const graph = await provenanceOf(troupe, run.id)
    expect(provProblems(graph.quads)).toEqual([])
    expect(formatExplanation(why(graph))).toContain(
      'chose approval of pay: deny, of approve | deny (person: "Tool call denied: too dear")',
    )
    expect(said(graph, 'run:call:1.1/observation')).toMatchObject({
      'rdf:type': ['prov:Entity', 'tg:Observation', 'tg:Error'],
      'troupe:outcome': ['denied'],
    })
  })
})

test('in the background: the iteration that hears of it is derived from it', async () => {
  const gate = Promise.withResolvers<void>()
  const { agent } = lead(
    'boss',
    [
      calls(to('slow', 'Go.')),
      () => {
        gate.resolve()
        return 'Meanwhile.'
      },
      'All in.',
    ],
    {
      agents: { slow: worker('digger', [{ text: 'Dug.', until: gate.promise }]).agent },
      backgroundTasks: { slow: {} },
    },
  )
  const { graph } = await exported(agent)
  const child = 'run:boss/delegation:1.1/digger'
  expect(said(graph, child)).toMatchObject({ 'troupe:background': ['true'] })
  expect(said(graph, 'run:i3')['prov:wasDerivedFrom']).toContain(`${child}/completion`)
  expect(said(graph, `${child}/question`)['prov:wasDerivedFrom']).toEqual(['run:i1'])
})

test('a tool in the background: the iteration that hears of it is derived from its result', async () => {
  const gate = Promise.withResolvers<string>()
  const dig = createTool({
    id: 'dig',
    description: 'Digs.',
    inputSchema: z.object({ n: z.number() }),
    background: { concurrency: 1 },
    execute: ({ n }) => (n === 1 ? gate.promise : 'Dug again.'),
  })
  const twice = calls({ name: 'dig', args: { n: 1 } }, { name: 'dig', args: { n: 2 } })
  const { agent } = worker(
    'solo',
    [
      twice,
      () => {
        gate.resolve('Dug.')
        return 'Meanwhile.'
      },
    ],
    { tools: { dig }, otherwise: 'All in.', maxSteps: 8 },
  )
  const { graph } = await exported(agent)
  for (const call of ['run:call:1.1', 'run:call:1.2']) {
    expect(said(graph, call)).toMatchObject({ 'troupe:background': ['true'], 'prov:used': ['run:i1'] })
  }
  expect(said(graph, 'run:i3')['prov:wasDerivedFrom']).toContain('run:call:1.1/observation')
  expect(said(graph, 'run:i1')['tg:action']).toEqual(['dig'])
  expect(said(graph, 'run:i2')['tg:action']).toBeUndefined()
  expect(said(graph, 'run:i3')['tg:action']).toBeUndefined()
})

test('a result that came late is on record, and nothing is derived from it', async () => {
  const gate = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const slow = createTool({
    id: 'slow',
    description: 'Is slow.',
    inputSchema: z.object({}),
    async execute() {
      started.resolve()
      await gate.promise
      return 'written after all'
    },
  })
  const agents = {
    writer: worker('writer', [calls({ name: 'slow' })], { tools: { slow } }).agent,
    quick: worker('quick', [{ text: 'Enough.', until: started.promise }]).agent,
  }
  const { agent } = lead('boss', [calls(to('writer', 'Write.'), to('quick', 'Go.'))], {
    agents,
    delegation: {
      onDelegationComplete: ({ agentName, bail }) => (agentName === 'quick' ? bail() : undefined),
    },
  })
  const store = memoryStore()
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Q?')
  await run.result
  gate.resolve()
  await expect.poll(async () => (await store.read(run.id))?.at(-1)).toMatchObject({ late: true })
  const graph = await provenanceOf(troupe, run.id)
  expect(provProblems(graph.quads)).toEqual([])
  const call = 'run:boss/delegation:1.1/writer/call:1.1'
  expect(said(graph, `${call}/late`)).toEqual({
    'rdf:type': ['prov:Entity', 'troupe:LateResult'],
    'prov:wasGeneratedBy': [call],
    'prov:wasDerivedFrom': ['run:boss/delegation:1.1/writer/i1'],
    'prov:value': ['written after all'],
  })
  expect(said(graph, `${call}/observation`)).toMatchObject({ 'troupe:outcome': ['cancelled'] })
  expect(formatExplanation(why(graph))).not.toContain('written after all')
})

test('a fork names the run that it came from, and has URIs of its own', async () => {
  const { agent } = worker('solo', [], { otherwise: 'Hi.' })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Hello.')
  await run.result
  const forked = await troupe.fork(run.id, { at: 1 })
  await forked.result
  const graph = await provenanceOf(troupe, forked.id)
  expect(provProblems(graph.quads)).toEqual([])
  expect(said(graph, 'run:')['troupe:forkedFrom']).toEqual([`urn:trustgraph:agent:${run.id}`])
})

describe('what the journal knows', () => {
  const versioned = (): AgentDefinition => {
    const helper = worker('helper', ['Helped.'], { version: '7' }).agent
    return lead('boss', [calls(to('a', 'Go.')), 'Done.'], { agents: { a: helper }, version: '2' }).agent
  }

  test('conversation and versions', async () => {
    const agent = versioned()
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Q?', { conversationId: 'talk' })
    await run.result
    const graph = await provenanceOf(troupe, run.id)
    expect(said(graph, 'run:')).toMatchObject({
      'tg:conversationId': ['talk'],
      'prov:wasAssociatedWith': ['urn:trustgraph:definition:boss/2'],
    })
    expect(said(graph, 'run:answer')['tg:conversationId']).toEqual(['talk'])
    expect(said(graph, 'urn:trustgraph:definition:boss/2')).toMatchObject({ 'troupe:agentVersion': ['2'] })
    expect(said(graph, 'run:boss/delegation:1.1/helper')).toMatchObject({
      'tg:conversationId': ['talk'],
      'prov:wasAssociatedWith': ['urn:trustgraph:definition:helper/7'],
    })
    expect(said(graph, 'urn:trustgraph:definition:helper/7')).toMatchObject({
      'troupe:agentVersion': ['7'],
      'prov:actedOnBehalfOf': ['urn:trustgraph:definition:boss/2'],
    })
    expect(provProblems(graph.quads)).toEqual([])
  })

  test('events alone have the conversation, and give the same graph', async () => {
    const agent = versioned()
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Q?', { conversationId: 'talk' })
    const graph = toProvenance(await allEvents(run))
    expect(provProblems(graph.quads)).toEqual([])
    const whole = await provenanceOf(troupe, run.id)
    expect(whole.toNQuads()).toContain('/conversationId>')
    expect(graph.toNQuads()).toBe(whole.toNQuads())
  })
})
