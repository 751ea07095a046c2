import { describe, expect, test } from 'vitest'
import {
  createAgent,
  createDebate,
  createFanOut,
  createTroupe,
  memoryStore,
  type ChatModel,
  type InputProcessor,
  textOf,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'

function speaker(id: string, steps: readonly ScriptedStep[]) {
  const model = scriptedModel(steps)
  return {
    model,
    agent: createAgent({ id, description: `Is ${id}.`, instructions: `You are ${id}.`, model }),
  }
}

const last = (request: Parameters<ChatModel['generate']>[0]): string =>
  textOf(request.messages.at(-1)?.content ?? '')

const mask: InputProcessor = {
  id: 'mask',
  processInput: ({ messages }) =>
    messages.map((message) => ({ ...message, content: textOf(message.content).replace('SECRET', '***') })),
}

describe('a debate', () => {
  test('proposals are made independently, criticised in sight of the others, and reconciled', async () => {
    const hope = speaker('hope', ['It will rise.', 'It will rise a little.'])
    const doubt = speaker('doubt', ['It will fall.', 'It will fall, or stay.'])
    const judge = scriptedModel(['It will stay.'])
    const debate = createDebate({
      id: 'debate',
      instructions: 'Judge.',
      model: judge,
      agents: { hope: hope.agent, doubt: doubt.agent },
    })
    const troupe = createTroupe({ agents: [debate] })
    const run = await troupe.start(debate, 'Where will it go?')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'It will stay.' })

    expect(last(hope.model.calls[0]?.request ?? { messages: [], tools: [], toolChoice: 'auto' })).toBe(
      'Where will it go?',
    )
    const criticism = hope.model.calls[1]?.request.messages.at(-1)?.content ?? ''
    expect(criticism).toContain('You proposed:\nIt will rise.')
    expect(criticism).toContain('Proposal of "doubt":\nIt will fall.')
    const asked = judge.calls[0]?.request.messages.at(-1)?.content ?? ''
    expect(asked).toContain('Proposal of "hope":\nIt will rise a little.')
    expect(asked).toContain('Proposal of "doubt":\nIt will fall, or stay.')
    expect(judge.calls[0]?.request.tools).toEqual([])

    expect(result.delegations.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ['hope', 'succeeded'],
      ['doubt', 'succeeded'],
      ['hope', 'succeeded'],
      ['doubt', 'succeeded'],
    ])
    expect(result.usage.totalTokens).toBe(5 * 15)
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
  })

  test('everybody is shown the task once, as an input processor has left it, after the conversation', async () => {
    const a = speaker('a', ['Yes.', 'Yes!'])
    const b = speaker('b', ['No.', 'No!'])
    const debate = createDebate({
      id: 'd',
      instructions: '',
      model: scriptedModel(['Both.']),
      agents: { a: a.agent, b: b.agent },
      inputProcessors: [mask],
    })
    await debate.generate([
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'Is SECRET right?' },
    ])
    const shown = a.model.calls.map(({ request }) => request.messages.map(({ content }) => content))
    expect(shown[0]).toEqual(['You are a.', 'Hello.', 'Hello!', 'Is *** right?'])
    expect(shown[1]?.slice(0, -1)).toEqual(['You are a.', 'Hello.', 'Hello!'])
    expect(shown[1]?.at(-1)).toMatch(/^Is \*\*\* right\?\n\nYou proposed:\nYes\./)
    expect(JSON.stringify(shown)).not.toContain('SECRET')
  })

  test('as many rounds as are asked for, also beyond the default of maxSteps', async () => {
    const a = speaker(
      'a',
      Array.from({ length: 9 }, (_, round) => `a${round}`),
    )
    const b = speaker(
      'b',
      Array.from({ length: 9 }, (_, round) => `b${round}`),
    )
    const judge = scriptedModel(['', 'end'])
    const agents = { a: a.agent, b: b.agent }
    const debate = createDebate({ id: 'd', instructions: '', model: judge, agents, rounds: 8 })
    expect(await debate.generate('Go')).toMatchObject({ outcome: 'completed', text: 'end' })
    expect(last(judge.calls[0]?.request ?? { messages: [], tools: [], toolChoice: 'auto' })).toContain('a8')
  })

  test('maxSteps stands over the rounds: a step is left for the answer, and without one it has a last word', async () => {
    const debate = (steps: readonly ScriptedStep[], maxSteps: number) => {
      const [a, b] = [speaker('a', ['Yes.', 'Yes!']), speaker('b', ['No.', 'No!'])]
      const model = scriptedModel(steps)
      const agents = { a: a.agent, b: b.agent }
      return { a, model, agent: createDebate({ id: 'd', instructions: '', model, agents, maxSteps }) }
    }
    const two = debate(['Both.'], 2)
    expect(await two.agent.generate('Well?')).toMatchObject({ outcome: 'completed', text: 'Both.' })
    expect(two.a.model.calls).toHaveLength(1)
    const one = debate(['Cut.'], 1)
    expect(await one.agent.generate('Well?')).toMatchObject({
      outcome: 'exhausted',
      reason: 'maxSteps',
      text: 'Cut.',
    })
    expect(JSON.stringify(one.model.calls[0]?.request.messages)).toContain('Proposal of')
  })

  test('rounds: 0 is refused, and as many rounds of criticism as are asked for', async () => {
    const a = speaker('a', ['1', '2', '3'])
    const b = speaker('b', ['x', 'y', 'z'])
    const agents = { a: a.agent, b: b.agent }
    const base = { id: 'debate', instructions: '', model: scriptedModel(['end']), agents }
    expect(() => createDebate({ ...base, rounds: 0 })).toThrow('rounds must be a positive integer, not 0')
    expect(await createDebate({ ...base, rounds: 2 }).generate('Go')).toMatchObject({ text: 'end' })
    expect(a.model.calls.length).toBe(3)
  })

  test('nobody to debate with, a quorum beyond all, and what its own model cannot do are refused', () => {
    const agents = { a: speaker('a', []).agent, b: speaker('b', []).agent }
    const base = { id: 'd', instructions: '', model: scriptedModel([]), agents }
    const where = 'createDebate("d"): '
    expect(() => createDebate({ ...base, agents: { a: agents.a } })).toThrow(
      `${where}agents must hold two agents at least, not 1.`,
    )
    expect(() => createDebate({ ...base, quorum: 3 })).toThrow(`${where}quorum is 3, and there are 2 agents.`)
    const repeated: object = { maxRepeatedCalls: 2 }
    expect(() => createDebate({ ...base, ...repeated })).toThrow(
      `${where}there is no option "maxRepeatedCalls"`,
    )
    expect(() => createFanOut({ ...base, ...repeated })).toThrow('there is no option "maxRepeatedCalls"')
  })

  test('one that fails is left out while there is a quorum, and is named as missing', async () => {
    const a = speaker('a', ['Yes.'])
    const b = speaker('b', [{ error: new Error('secret') }])
    const judge = scriptedModel(['Yes, says one.'])
    const debate = createDebate({
      id: 'd',
      instructions: '',
      model: judge,
      agents: { a: a.agent, b: b.agent },
    })
    const result = await debate.generate('Well?')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Yes, says one.' })
    const asked = judge.calls[0]?.request.messages.at(-1)?.content ?? ''
    expect(asked).toContain('Not heard, or not to the end: b (failed).')
    expect(asked).not.toContain('secret')
    expect(a.model.calls.length).toBe(1) // nobody is left to criticise
  })

  test('one that fails in a round of criticism keeps what it proposed', async () => {
    const a = speaker('a', ['Yes.', { error: new Error('tired') }])
    const b = speaker('b', ['No.', 'Still no.'])
    const judge = scriptedModel(['Split.'])
    await createDebate({
      id: 'd',
      instructions: '',
      model: judge,
      agents: { a: a.agent, b: b.agent },
    }).generate('Well?')
    const asked = judge.calls[0]?.request.messages.at(-1)?.content ?? ''
    expect(asked).toContain('Proposal of "a":\nYes.')
    expect(asked).toContain('Proposal of "b":\nStill no.')
    expect(asked).toContain('a (failed)')
  })

  test('a sentence that stands in for an answer is no proposal', async () => {
    const silent = (id: string) => {
      const model = scriptedModel([''])
      const identity = { id, description: 'Is silent.', instructions: '' }
      return createAgent({ ...identity, model, maxSteps: 1, onExhausted: 'stop' })
    }
    const loud = speaker('loud', ['Yes.'])
    const judge = scriptedModel(['Yes, says one.'])
    const debate = (agents: Parameters<typeof createDebate>[0]['agents']) =>
      createDebate({ id: 'd', instructions: '', model: judge, agents })
    expect(await debate({ a: silent('a'), b: silent('b') }).generate('Well?')).toMatchObject({
      outcome: 'failed',
      error: { code: 'NO_QUORUM' },
    })
    expect(await debate({ a: silent('c'), loud: loud.agent }).generate('Well?')).toMatchObject({
      outcome: 'completed',
      text: 'Yes, says one.',
    })
    expect(JSON.stringify(judge.calls[0]?.request.messages)).toContain(
      'Not heard, or not to the end: a (exhausted)',
    )
    expect(judge.calls).toHaveLength(1)
    expect(loud.model.calls).toHaveLength(1)
  })

  test('without a quorum it fails, typed, and nobody is asked to reconcile', async () => {
    const a = speaker('a', ['Yes.'])
    const b = speaker('b', [{ error: new Error('x') }])
    const judge = scriptedModel([])
    const debate = createDebate({
      id: 'd',
      instructions: '',
      model: judge,
      agents: { a: a.agent, b: b.agent },
      quorum: 2,
    })
    expect(await debate.generate('Well?')).toMatchObject({ outcome: 'failed', error: { code: 'NO_QUORUM' } })
    expect(judge.calls).toEqual([])
  })

  test('a bail of a proposer is the answer', async () => {
    const a = speaker('a', ['Stop everything.'])
    const b = speaker('b', [{ hang: true }])
    const debate = createDebate({
      id: 'd',
      instructions: '',
      model: scriptedModel([]),
      agents: { a: a.agent, b: b.agent },
      delegation: { onDelegationComplete: ({ agentName, bail }) => void (agentName === 'a' && bail()) },
    })
    expect(await debate.generate('Well?')).toMatchObject({
      outcome: 'bailed',
      by: 'a',
      text: 'Stop everything.',
    })
  })

  test('cut at any entry and resumed elsewhere, it ends alike', async () => {
    const make = () => {
      const agents = { a: speaker('a', ['Yes.', 'Yes!']).agent, b: speaker('b', ['No.', 'No!']).agent }
      return createDebate({
        id: 'd',
        instructions: '',
        model: scriptedModel([], { otherwise: 'Both.' }),
        agents,
      })
    }
    const whole = make()
    const store = memoryStore()
    const first = createTroupe({ agents: [whole], store })
    const run = await first.start(whole, 'Well?')
    const expected = await run.result
    const journal = await first.journal(run.id)
    for (let at = 1; at < journal.length; at++) {
      const later = createTroupe({ agents: [byMessages()], store })
      const fork = await later.fork(run.id, { at })
      expect(await fork.result).toMatchObject({ outcome: expected.outcome, text: expected.text })
    }
  })

  /** Answers by what it is asked, and not by how often it was asked before. */
  function byMessages() {
    const answering = (id: string, word: string) =>
      speakerOf(id, (text) => (text.includes('You proposed') ? `${word}!` : `${word}.`))
    const agents = { a: answering('a', 'Yes'), b: answering('b', 'No') }
    return createDebate({
      id: 'd',
      instructions: '',
      model: scriptedModel([], { otherwise: 'Both.' }),
      agents,
    })
  }

  function speakerOf(id: string, answer: (text: string) => string) {
    const model = scriptedModel([], { otherwise: (request) => answer(last(request)) })
    return createAgent({ id, description: `Is ${id}.`, instructions: `You are ${id}.`, model })
  }
})
