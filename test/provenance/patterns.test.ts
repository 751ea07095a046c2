/** The graph of each pattern, and what it says of why there is an answer. */
import { createDebate, createMetaRouter, createReflexion, createScorer, createTool } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { asksFor, divides, enough, fanOut } from '../support/agents/fan-outs.ts'
import { plan, planner } from '../support/agents/planner.ts'
import { exported, said } from '../support/prov.ts'
import { dispatcher, done, router, toAgent, toTool } from '../support/agents/routing.ts'

const look = createTool({
  id: 'look',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => ({ found: q }),
})

const broken = { error: new Error('no line') }

describe('react', () => {
  test('iterations, tool calls and the answer', async () => {
    const { agent } = worker(
      'solo',
      [
        { reasoning: 'I must look.', text: 'Looking.', toolCalls: [{ name: 'look', args: { q: 'x' } }] },
        'Done.',
      ],
      { tools: { look } },
    )
    const { graph, text } = await exported(agent)
    expect(text).toBe(
      [
        'solo (completed)',
        '  answer: "Done."',
        '  iteration',
        '    action: none, of look (model)',
        '  observation (succeeded): "{"found":"x"}"',
        '  iteration: "Looking."',
        '    action: look, of look (model)',
        '  thought: "I must look."',
        '  question: "Q?"',
      ].join('\n'),
    )
    expect(graph.session).toBe(`urn:trustgraph:agent:${graph.runId}`)
    expect(graph.answer).toBe(`${graph.session}/answer`)
    expect(said(graph, 'run:')).toEqual({
      'rdf:type': ['prov:Activity', 'tg:Question', 'tg:AgentQuestion'],
      'prov:wasAssociatedWith': ['urn:trustgraph:definition:solo'],
      'rdfs:label': ['solo at work'],
      'tg:query': ['Q?'],
      'troupe:runId': ['RUN'],
      'troupe:sessionId': ['RUN'],
      'prov:used': ['run:question'],
      'troupe:outcome': ['completed'],
      'tg:inToken': ['20'],
      'tg:outToken': ['10'],
    })
    expect(said(graph, 'run:i1')).toEqual({
      'rdf:type': ['prov:Entity', 'tg:Analysis'],
      'prov:wasGeneratedBy': ['run:'],
      'prov:wasDerivedFrom': ['run:question', 'run:i1/thought'],
      'prov:value': ['Looking.'],
      'tg:stepNumber': ['1'],
      'tg:toolCandidate': ['look'],
      'tg:action': ['look'],
      'troupe:finishReason': ['tool-calls'],
      'tg:inToken': ['10'],
      'tg:outToken': ['5'],
      'tg:thought': ['run:i1/thought'],
    })
    expect(said(graph, 'run:call:1.1')).toEqual({
      'rdf:type': ['prov:Activity', 'troupe:ToolCall'],
      'prov:wasAssociatedWith': ['urn:trustgraph:definition:solo'],
      'tg:action': ['look'],
      'tg:arguments': ['{"q":"x"}'],
      'prov:used': ['run:i1'],
    })
    expect(said(graph, 'run:call:1.1/observation')).toEqual({
      'rdf:type': ['prov:Entity', 'tg:Observation'],
      'prov:wasGeneratedBy': ['run:call:1.1'],
      'prov:wasDerivedFrom': ['run:i1'],
      'prov:value': ['{"found":"x"}'],
      'troupe:outcome': ['succeeded'],
    })
    expect(said(graph, 'run:answer')).toEqual({
      'rdf:type': ['prov:Entity', 'tg:Conclusion', 'tg:Answer'],
      'prov:wasGeneratedBy': ['run:'],
      'prov:wasDerivedFrom': ['run:i2'],
      'prov:value': ['Done.'],
      'tg:terminationReason': ['completed'],
      'prov:wasAttributedTo': ['urn:trustgraph:definition:solo'],
    })
  })
})

describe('supervisor', () => {
  test("a subagent's session hangs below its parent's, and its completion is what the parent goes on with", async () => {
    const scout = worker('scout', ['Deep.']).agent
    const chief = lead('chief', [calls(to('scout', 'Dig.')), 'Dug.'], { agents: { scout } }).agent
    const weak = worker('weak', [broken], { retries: 0 }).agent
    const { agent } = lead('boss', [calls(to('chief', 'Lead.'), to('weak', 'Try.')), 'All.'], {
      agents: { chief, weak },
    })
    const { graph, text } = await exported(agent)
    expect(text).toBe(
      [
        'boss (completed)',
        '  answer: "All."',
        '  iteration',
        '    action: none, of agent-chief | agent-weak (model)',
        '  completion of chief (succeeded)',
        '    answer: "Dug."',
        '    iteration',
        '      action: none, of agent-scout (model)',
        '    completion of scout (succeeded)',
        '      answer: "Deep."',
        '      iteration',
        '      question: "Dig."',
        '    iteration',
        '      action: agent-scout, of agent-scout (model)',
        '    question: "Lead."',
        '  completion of weak (failed): "no line"',
        '    iteration',
        '    question: "Try."',
        '  iteration',
        '    action: agent-chief, agent-weak, of agent-chief | agent-weak (model)',
        '  question: "Q?"',
      ].join('\n'),
    )
    const child = 'run:boss/delegation:1.1/chief'
    expect(said(graph, child)).toMatchObject({
      'rdf:type': ['prov:Activity', 'tg:Question', 'tg:AgentQuestion'],
      'tg:parentSessionId': ['RUN'],
      'troupe:sessionId': ['RUN/boss/delegation:1.1/chief'],
      'prov:wasInformedBy': ['run:'],
      'prov:used': [`${child}/question`, `${child}/delegation:1.1/scout/completion`],
    })
    expect(said(graph, `${child}/question`)).toEqual({
      'rdf:type': ['prov:Entity', 'troupe:Task'],
      'prov:wasGeneratedBy': ['run:'],
      'prov:wasDerivedFrom': ['run:i1'],
      'prov:value': ['Lead.'],
    })
    expect(said(graph, `${child}/completion`)).toEqual({
      'rdf:type': ['prov:Entity', 'tg:SubagentCompletion'],
      'prov:wasGeneratedBy': [child],
      'prov:wasDerivedFrom': [`${child}/answer`],
      'tg:subagentSessionId': ['RUN/boss/delegation:1.1/chief'],
      'tg:parentSessionId': ['RUN'],
      'tg:subagentGoal': ['Lead.'],
      'troupe:agentId': ['chief'],
      'tg:status': ['success'],
      'troupe:outcome': ['succeeded'],
      'tg:result': [`${child}/answer`],
    })
    expect(said(graph, 'run:boss/delegation:1.2/weak/completion')).toMatchObject({
      'prov:wasDerivedFrom': ['run:boss/delegation:1.2/weak/i1'],
      'tg:status': ['error'],
      'troupe:outcome': ['failed'],
      'troupe:error': ['no line'],
      'troupe:errorCode': ['MODEL_FAILED'],
    })
    expect(said(graph, 'urn:trustgraph:definition:scout')).toEqual({
      'rdf:type': ['prov:Agent', 'prov:SoftwareAgent'],
      'rdfs:label': ['scout'],
      'troupe:agentId': ['scout'],
      'prov:actedOnBehalfOf': ['urn:trustgraph:definition:chief'],
    })
  })

  test('reviews and scores', async () => {
    const good = createScorer({
      id: 'good',
      score: ({ output }) => ({ score: output === 'Fine.' ? 1 : 0, reason: 'It must be fine.' }),
    })
    const { agent } = lead('boss', ['Poor.', 'Fine.'], { completion: { scorers: [good] } })
    const { graph, text } = await exported(agent)
    expect(text.split('\n')).toEqual([
      'boss (completed)',
      '  answer: "Fine."',
      '  iteration',
      expect.stringMatching(/^ {2}feedback: ".*It must be fine\./),
      '  score: "It must be fine."',
      '  iteration: "Poor."',
      '  question: "Q?"',
    ])
    expect(said(graph, 'run:i1/score/good')).toMatchObject({
      'rdf:type': ['prov:Entity', 'troupe:Score'],
      'troupe:score': ['0'],
      'troupe:passed': ['false'],
    })
    expect(said(graph, 'run:i1/feedback')['prov:wasDerivedFrom']).toEqual(['run:i1', 'run:i1/score/good'])
  })
})

describe('feedback of onDelegationComplete', () => {
  const delegation = {
    onDelegationComplete: ({ text }: { text: string }) =>
      text === 'Poor.' ? { feedback: 'Name a source.' } : undefined,
  }

  test('is derived from the completion, and the next iteration from it', async () => {
    const helper = worker('helper', ['Poor.', 'Fine.']).agent
    const { agent } = lead('boss', [calls(to('helper', 'Write')), calls(to('helper', 'Again')), 'Done.'], {
      agents: { helper },
      delegation,
    })
    const { graph, text } = await exported(agent)
    const feedback = 'run:boss/delegation:1.1/helper/feedback'
    expect(said(graph, feedback)).toMatchObject({
      'rdf:type': ['prov:Entity', 'troupe:Feedback'],
      'prov:value': ['Name a source.'],
      'prov:wasGeneratedBy': ['run:'],
      'prov:wasDerivedFrom': ['run:boss/delegation:1.1/helper/completion'],
    })
    expect(said(graph, 'run:i2')['prov:wasDerivedFrom']).toContain(feedback)
    expect(said(graph, 'run:boss/delegation:2.1/helper/feedback')).toEqual({})
    expect(text).toContain('feedback: "Name a source."')
  })

  test('is what a synthesis derives from, too', async () => {
    const helper = worker('helper', ['Poor.']).agent
    const { agent } = fanOut('fan', [divides({ goal: 'Write', agent: 'helper' }), enough, 'Sum.'], {
      agents: { helper },
      delegation,
    })
    const { text } = await exported(agent)
    expect(text).toContain('feedback: "Name a source."')
  })
})

describe('router', () => {
  test('every decision has its candidates and its reason', async () => {
    const helper = worker('helper', ['Helped.']).agent
    const { agent } = router('rt', [toAgent('aid', 'Help.'), toTool('look', { q: 'z' }), done('Fin.')], {
      agents: { aid: helper },
      tools: { look },
    })
    const { graph, text } = await exported(agent, { threadId: 't' })
    expect(text).toBe(
      [
        'rt (completed)',
        '  answer: "Fin."',
        '  routing: "Fin."',
        '    primitive: none, of agent aid | tool look | none (model: "It is done.")',
        '  iteration',
        '  observation (succeeded): "{"found":"z"}"',
        '  routing: "{"q":"z"}"',
        '    primitive: tool look, of agent aid | tool look | none (model: "look fits.")',
        '  iteration',
        '  completion of helper (succeeded)',
        '    answer: "Helped."',
        '    iteration',
        '    question: "Help."',
        '  routing: "Help."',
        '    primitive: agent aid, of agent aid | tool look | none (model: "aid fits.")',
        '  iteration',
        '  question: "Q?"',
      ].join('\n'),
    )
    expect(said(graph, 'run:routing')).toEqual({
      'rdf:type': ['prov:Entity', 'troupe:Choice', 'tg:RoutingDecision'],
      'prov:wasGeneratedBy': ['run:'],
      'prov:wasDerivedFrom': ['run:i1'],
      'prov:value': ['Help.'],
      'troupe:subject': ['primitive'],
      'troupe:candidate': [
        'urn:trustgraph:primitive:rt/agent/aid',
        'urn:trustgraph:primitive:rt/tool/look',
        'urn:trustgraph:primitive:rt/none/none',
      ],
      'troupe:chosen': ['urn:trustgraph:primitive:rt/agent/aid'],
      'troupe:criterion': ['model'],
      'troupe:rationale': ['run:routing/rationale'],
      'tg:routingRationale': ['run:routing/rationale'],
    })
    expect(said(graph, 'run:routing/2')).toMatchObject({ 'prov:wasDerivedFrom': ['run:i2'] })
  })
})

test('dispatcher: one decision, and the answer of whom it chose', async () => {
  const agents = { a: worker('first', ['One.']).agent, b: worker('second', ['Two.']).agent }
  const { text } = await exported(dispatcher('desk', [toAgent('b', '')], { agents }).agent)
  expect(text).toBe(
    [
      'desk (completed)',
      '  answer: "Two."',
      '  completion of second (succeeded)',
      '    answer: "Two."',
      '    iteration',
      '    question: "Q?"',
      '  routing: "Q?"',
      '    primitive: agent b, of agent a | agent b (model: "b fits.")',
      '  iteration',
      '  question: "Q?"',
    ].join('\n'),
  )
})

describe('plan-then-execute', () => {
  test('each result derives from its step, from what carried it out, and from what it needed', async () => {
    const first = plan(
      { id: 'find', toolHint: 'look', args: { q: '1' } },
      { id: 'ask', toolHint: 'agent-aid', dependsOn: ['find'] },
      { id: 'sum', dependsOn: ['ask'] },
    )
    const second = plan({ id: 'guess', dependsOn: ['find'] })
    const { agent } = planner(
      { plans: [first, second], answer: 'Planned.' },
      { tools: { look }, agents: { aid: worker('helper', [broken], { retries: 0 }).agent } },
    )
    const { graph, text } = await exported(agent)
    expect(text).toBe(
      [
        'planner (completed)',
        '  answer: "Planned."',
        '  iteration',
        '  synthesis',
        '  step-result (complete): "did guess"',
        '  plan-step: "goal of guess"',
        '  plan',
        '    plan: none, of look | agent-aid (model)',
        '  step-result (failed): ""',
        '  completion of helper (failed): "no line"',
        '    iteration',
        '    question: "goal of ask What was found before: - goal of find {"found":"1"}"',
        '  step-result (complete): "{"found":"1"}"',
        '  observation (succeeded): "{"found":"1"}"',
        '  plan-step: "goal of find"',
        '  plan-step: "goal of ask"',
        '  plan',
        '    plan: look, agent-aid, of look | agent-aid (model)',
        '  question: "Q?"',
      ]
        .join('\n')
        .replace('(failed): ""', '(failed)'),
    )
    const one = 'run:plan/1'
    expect(said(graph, `${one}/step/ask`)).toMatchObject({
      'rdf:type': ['prov:Entity', 'troupe:PlanStep', 'troupe:Text'],
      'prov:wasDerivedFrom': [one],
      'tg:action': ['agent-aid'],
      'troupe:dependsOn': [`${one}/step/find`],
    })
    expect(said(graph, `${one}/step/ask/result`)['prov:wasDerivedFrom']).toEqual([
      `${one}/step/ask`,
      `${one}/step/find/result`,
      'run:planner/delegation:1.2/helper/completion',
    ])
    expect(said(graph, 'run:planner/delegation:1.2/helper/question')['prov:wasDerivedFrom']).toEqual([
      `${one}/step/ask`,
      `${one}/step/find/result`,
    ])
    expect(said(graph, 'run:plan/2/step/guess')['troupe:dependsOn']).toEqual([`${one}/step/find`])
    expect(said(graph, 'run:plan/2')).toMatchObject({
      'prov:wasDerivedFrom': [one, `${one}/step/find/result`, `${one}/step/ask/result`],
      'troupe:rationale': ['run:plan/2/rationale'],
      'tg:planStep': ['run:plan/2/step/guess'],
    })
    expect(said(graph, 'run:synthesis')['prov:wasDerivedFrom']).toEqual([
      'run:plan/2',
      'run:plan/2/step/guess/result',
      `${one}/step/find/result`,
      `${one}/step/ask/result`,
    ])
  })

  test('what is missing is named', async () => {
    const steps = plan(
      { id: 'find', toolHint: 'look', args: { q: '1' } },
      { id: 'ask', toolHint: 'agent-aid' },
    )
    const aid = worker('helper', [broken], { retries: 0 }).agent
    const { agent } = planner({ plans: [steps] }, { tools: { look }, agents: { aid }, maxReplans: 1 })
    const { graph, text } = await exported(agent)
    expect(said(graph, 'run:synthesis')['troupe:missing']).toEqual(['run:plan/1/step/ask'])
    expect(text).toContain('\n  synthesis\n    without "goal of ask"\n')
  })
})

describe('fan-out', () => {
  test('rounds with goals, completions and a synthesis of every conclusion, under their correlation ids', async () => {
    const { agent } = fanOut(
      'fan',
      [
        divides({ goal: 'g1', agent: 'a', context: 'c1' }, { goal: 'g2', agent: 'b' }),
        asksFor({ goal: 'g3', agent: 'a' }),
        enough,
        'Sum.',
      ],
      { agents: { a: worker('first', ['A1', 'A2']).agent, b: worker('second', ['B']).agent } },
    )
    const { graph } = await exported(agent)
    const round = 'RUN%2Ffan%2Fround-1'
    const one = `run:fanout/${round}`
    expect(said(graph, one)).toEqual({
      'rdf:type': ['prov:Entity', 'tg:FanOut'],
      'prov:wasGeneratedBy': ['run:'],
      'prov:wasDerivedFrom': ['run:i1'],
      'tg:correlationId': ['RUN/fan/round-1'],
      'tg:expectedSiblings': ['2'],
      'tg:subagentGoals': [`${one}/goal/1`, `${one}/goal/2`],
    })
    expect(said(graph, `${one}/goal/1`)).toMatchObject({
      'prov:wasDerivedFrom': [one],
      'prov:value': ['g1\n\nc1'],
    })
    const first = 'run:fan/delegation:1.1/first'
    const second = 'run:fan/delegation:1.2/second'
    expect(said(graph, first)).toMatchObject({
      'tg:parentSessionId': ['RUN'],
      'tg:parentCorrelationId': ['RUN/fan/round-1'],
    })
    expect(said(graph, `${first}/completion`)).toMatchObject({
      'tg:correlationId': ['RUN/fan/round-1'],
      'tg:subagentGoal': ['g1'],
      'tg:result': [`${first}/answer`],
    })
    const synthesis = said(graph, `run:synthesis/${round}`)
    expect(synthesis).toMatchObject({
      'rdf:type': ['prov:Entity', 'tg:Synthesis'],
      'tg:correlationId': ['RUN/fan/round-1'],
    })
    expect(synthesis['prov:wasDerivedFrom']?.toSorted()).toEqual(
      [`${first}/answer`, `${first}/completion`, `${second}/answer`, `${second}/completion`, one].toSorted(),
    )
    // The second round comes of the first one's synthesis, and the answer of the second one's.
    expect(said(graph, 'run:i2')['prov:wasDerivedFrom']).toEqual([`run:synthesis/${round}`])
    expect(said(graph, 'run:fanout/RUN%2Ffan%2Fround-2')['prov:wasDerivedFrom']).toEqual(['run:i2'])
    expect(said(graph, 'run:i3')['prov:wasDerivedFrom']).toEqual(['run:synthesis/RUN%2Ffan%2Fround-2'])
    expect(said(graph, 'run:answer')['prov:wasDerivedFrom']).toEqual(['run:i3'])
  })

  test('a goal that was never given to its agent has a completion all the same', async () => {
    const never = new Promise<void>(() => undefined)
    const { agent } = fanOut(
      'fan',
      [divides({ goal: 'g1', agent: 'a' }, { goal: 'g2', agent: 'a' }), enough, 'Sum.'],
      {
        agents: { a: worker('slow', [], { otherwise: { text: 'Late.', until: never } }).agent },
        toolCallConcurrency: 1,
        goalTimeout: 1,
      },
    )
    const { graph } = await exported(agent)
    expect(said(graph, 'run:fan/delegation:1.2/slow/completion')).toEqual({
      'rdf:type': ['prov:Entity', 'tg:SubagentCompletion'],
      'prov:wasGeneratedBy': ['run:'],
      'prov:wasDerivedFrom': ['run:fanout/RUN%2Ffan%2Fround-1/goal/2'],
      'tg:correlationId': ['RUN/fan/round-1'],
      'tg:subagentSessionId': ['RUN/fan/delegation:1.2/slow'],
      'tg:parentSessionId': ['RUN'],
      'tg:subagentGoal': ['g2'],
      'troupe:agentId': ['slow'],
      'tg:status': ['error'],
      'troupe:outcome': ['timedOut'],
    })
    expect(said(graph, 'run:synthesis/RUN%2Ffan%2Fround-1')['troupe:missing']).toEqual([
      'run:fan/delegation:1.1/slow/completion',
      'run:fan/delegation:1.2/slow/completion',
    ])
  })
})

describe('meta-router', () => {
  const taskType = JSON.stringify({ taskType: 'research', rationale: 'It is open.' })
  const pattern = JSON.stringify({ pattern: 'react', rationale: 'It is small.' })
  const agents = () => ({
    react: worker('thinker', ['Thought.']).agent,
    'plan-then-execute': worker('schemer', ['Planned.']).agent,
  })

  test('the type, the pattern, what else there was, and why', async () => {
    const model = scriptedModel([taskType, pattern])
    const desk = createMetaRouter({ id: 'desk', instructions: '', model, agents: agents() })
    const { graph, text } = await exported(desk)
    expect(text).toBe(
      [
        'desk (completed)',
        '  answer: "Thought."',
        '  completion of thinker (succeeded)',
        '    answer: "Thought."',
        '    iteration',
        '    question: "Q?"',
        '  routing',
        '  chose pattern: react, of react | plan-then-execute (model: "It is small.")',
        '  chose task-type: research, of general | research | risk-assessment | summarisation (model: "It is open.")',
        '  question: "Q?"',
      ].join('\n'),
    )
    expect(said(graph, 'run:routing')).toEqual({
      'rdf:type': ['prov:Entity', 'tg:RoutingDecision'],
      'prov:wasGeneratedBy': ['run:'],
      'prov:wasDerivedFrom': ['run:routing/pattern'],
      'tg:taskType': ['urn:trustgraph:task-type:research'],
      'tg:selectedPattern': ['urn:trustgraph:pattern:react'],
      'tg:candidatePatterns': ['urn:trustgraph:pattern:react', 'urn:trustgraph:pattern:plan-then-execute'],
      'tg:routingRationale': ['run:routing/pattern/rationale'],
    })
    expect(said(graph, 'run:routing/pattern/rationale')['prov:value']).toEqual(['It is small.'])
    expect(said(graph, 'urn:trustgraph:pattern:react')).toEqual({
      'rdf:type': ['prov:Entity', 'troupe:Option'],
      'rdfs:label': ['react'],
    })
  })

  test('a fallback says why the model did not choose', async () => {
    const model = scriptedModel([], { otherwise: 'I cannot say.' })
    const desk = createMetaRouter({ id: 'desk', instructions: '', model, agents: agents() })
    const { text } = await exported(desk)
    expect(text.split('\n').filter((line) => line.includes('chose'))).toEqual([
      expect.stringMatching(
        /^ {2}chose pattern: react, of .*plan-then-execute.* \(fallback: ".*not JSON"\)$/,
      ),
      expect.stringMatching(/^ {2}chose task-type: general, of .* \(fallback: ".*not JSON"\)$/),
    ])
  })
})

test('reflexion: what it objects to is on the way', async () => {
  const critique = (satisfied: boolean, words: string) => JSON.stringify({ satisfied, critique: words })
  const model = scriptedModel(['Draft.', critique(false, 'Too short.'), 'Longer.', critique(true, '')])
  const { text } = await exported(createReflexion({ id: 'thinker', instructions: '', model }))
  expect(text).toBe(
    [
      'thinker (completed)',
      '  answer: "Longer."',
      '  critique',
      '  iteration',
      '  critique: "Too short."',
      '  iteration: "Draft."',
      '  question: "Q?"',
    ].join('\n'),
  )
})

test('debate: both rounds of everybody, and the reconciliation', async () => {
  const { text } = await exported(
    createDebate({
      id: 'panel',
      instructions: '',
      model: scriptedModel(['Agreed.']),
      agents: { a: worker('first', ['A1', 'A2']).agent, b: worker('second', ['B1', 'B2']).agent },
    }),
  )
  const answers = text.split('\n').filter((line) => line.includes('answer: '))
  expect(answers.map((line) => line.trim()).toSorted()).toEqual([
    'answer: "A1"',
    'answer: "A2"',
    'answer: "Agreed."',
    'answer: "B1"',
    'answer: "B2"',
  ])
  expect(text).not.toContain('action:') // nobody chose: everybody was heard
})
