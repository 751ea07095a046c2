/**
 * The functions of the samples in Mastra's documentation of supervisor agents, and in its proposal of them, word for word.
 * docs/migrate/from-mastra.md says what differs around them.
 */
/* oxlint-disable typescript/prefer-nullish-coalescing, typescript/restrict-template-expressions, typescript/return-await, typescript/no-unnecessary-type-conversion, eslint/no-unused-vars -- word for word */
import { createAgent, createScorer, createSupervisor, createTool, createTroupe } from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { calls, shown, to } from '../../support/agents/agents.ts'

const log = vi.spyOn(console, 'log')
beforeEach(() => {
  log.mockReset()
  log.mockImplementation(() => undefined)
})
afterEach(() => {
  log.mockReset()
})

const printed = () => log.mock.calls.map(([line]) => String(line))

const agentOf = (id: string, steps: readonly ScriptedStep[]) => {
  const model = scriptedModel(steps, { modelId: id })
  return { model, agent: createAgent({ id, description: `Does ${id} work.`, model, instructions: '' }) }
}

const paper = [1, 2, 3, 4, 5].map((n) => `Fact [${n}].`).join(' ')

describe('the proposal', () => {
  test('the stream of text and calls', async () => {
    const written: string[] = []
    const process = { stdout: { write: (text: string) => written.push(text) } }
    const supervisor = createSupervisor({
      id: 'supervisor',
      instructions: '',
      model: scriptedModel([{ text: 'I ask. ', ...calls(to('writerAgent', 'Write it.')) }, 'Done.']),
      agents: { writerAgent: agentOf('writer', ['Written.']).agent },
    })
    const result = supervisor.stream('Write a paper')
    for await (const chunk of result.events) {
      if (chunk.type === 'delegation-start') console.log(`Calling: agent-${chunk.payload.agentName}`)
      if (chunk.delegationId !== undefined) continue // of a subagent
      if (chunk.type === 'text-delta') process.stdout.write(chunk.payload.text)
      if (chunk.type === 'tool-call') console.log(`Calling: ${chunk.payload.toolName}`)
    }
    expect(written.join('')).toBe('I ask. Done.')
    expect(printed()).toEqual(['Calling: agent-writerAgent'])
  })

  test('a review that counts citations', async () => {
    const model = scriptedModel(['No sources.', paper])
    const supervisor = createSupervisor({ id: 'supervisor', instructions: '', model, agents: {} })
    const result = await supervisor.generate('Write a paper', {
      onIterationComplete: async ({ allSteps }) => {
        const text = allSteps.map((s) => s.text).join('\n')
        const citations = (text.match(/\[\d+\]/g) || []).length

        if (citations >= 5) return { continue: false }
        return { continue: true, feedback: 'Need more citations' }
      },
    })
    expect(result).toMatchObject({ outcome: 'stopped', text: paper })
    expect(shown(model, 2).at(-1)).toMatchObject({ content: 'Need more citations' })
  })

  test('delegation hooks that observe', async () => {
    const supervisor = createSupervisor({
      id: 'supervisor',
      instructions: '',
      model: scriptedModel([calls(to('writerAgent', 'Write it.')), 'Done.']),
      agents: { writerAgent: agentOf('writer', ['Written.']).agent },
    })
    await supervisor.generate('Write a paper', {
      delegation: {
        onDelegationStart: ({ agentName, prompt }) => {
          console.log(`→ ${agentName}: ${prompt.slice(0, 50)}...`)
        },
        onDelegationComplete: ({ agentName, duration }) => {
          console.log(`← ${agentName} (${duration}ms)`)
        },
      },
    })
    expect(printed()).toEqual([
      '→ writerAgent: Write it....',
      expect.stringMatching(/^← writerAgent \(\d+ms\)$/),
    ])
  })

  test('delegation hooks that control', async () => {
    const user = { isPremium: false }
    const writer = agentOf('writer', ['## Conclusion\nIt is so.'])
    const model = scriptedModel([
      calls(to('premiumAgent', 'Write it.')),
      calls(to('writerAgent', 'Write it.')),
    ])
    const supervisor = createSupervisor({
      id: 'supervisor',
      instructions: '',
      model,
      agents: { premiumAgent: agentOf('premium', []).agent, writerAgent: writer.agent },
    })
    const result = await supervisor.generate('Write a paper', {
      delegation: {
        onDelegationStart: async ({ agentName, prompt }) => {
          if (agentName === 'premiumAgent' && !user.isPremium) {
            return { proceed: false, rejectionReason: 'Premium required' }
          }
          return { proceed: true, modifiedPrompt: `${prompt}\n\nBe concise.` }
        },
        onDelegationComplete: async ({ agentName, result, bail }) => {
          if (result.text.includes('## Conclusion')) bail()
        },
      },
    })
    expect(result).toMatchObject({ outcome: 'bailed', by: 'writer', text: '## Conclusion\nIt is so.' })
    expect(result.delegations.map(({ outcome }) => outcome)).toEqual(['rejected', 'bailed'])
    expect(shown(model, 2).at(-1)?.content).toBe(
      '{"error":"Delegation rejected: Premium required","rejected":true}',
    )
    expect(shown(writer.model, 1).at(-1)?.content).toBe('Write it.\n\nBe concise.')
  })

  test('the complete supervisor', async () => {
    const written: string[] = []
    const process = { stdout: { write: (text: string) => written.push(text) } }
    const citationScorer = createScorer({
      id: 'citations',
      score: async ({ output }) => {
        const citations = output.match(/\[\d+\]/g) || []
        return {
          score: new Set(citations).size >= 5 ? 1 : 0,
          reason: `Found ${new Set(citations).size}/5 required citations`,
        }
      },
    })
    const model = scriptedModel([
      calls(to('researchAgent', 'Research it.')),
      'No sources.',
      calls(to('writerAgent', 'Write it.')),
    ])
    const paperSupervisor = createSupervisor({
      id: 'paper-supervisor',
      instructions: 'Write research papers. Delegate research and writing tasks.',
      model,
      agents: {
        researchAgent: agentOf('researcher', ['Facts.']).agent,
        writerAgent: agentOf('writer', [`${paper}\n## References`]).agent,
      },
      delegation: { includeConversationHistory: true, filterInternalMessages: true, maxMessages: 15 },
    })
    const result = paperSupervisor.stream('Write a paper about quantum computing', {
      maxSteps: 20,
      completion: { scorers: [citationScorer], strategy: 'all', continueOnFail: true },
      delegation: {
        onDelegationStart: async ({ agentName, prompt }) => {
          console.log(`→ ${agentName}`)
          return { proceed: true, modifiedPrompt: `${prompt}\n\nFocus on applications.` }
        },
        onDelegationComplete: async ({ agentName, result, duration, bail }) => {
          console.log(`← ${agentName} (${duration}ms)`)
          if (agentName === 'writerAgent' && result.text.includes('## References')) {
            bail()
          }
        },
      },
      onIterationComplete: async ({ iteration, subAgentsInvoked }) => {
        console.log(`Iteration ${iteration}: ${subAgentsInvoked.join(', ')}`)
        return { continue: true }
      },
    })
    for await (const chunk of result.events) {
      if (chunk.type === 'delegation-start') console.log(`Delegating to ${chunk.payload.agentName}`)
      if (chunk.type === 'delegation-bail') console.log(`Bailed with ${chunk.payload.agentName} output`)
    }
    // The events have the texts of subagents and drafts too: the answer alone is in the result.
    process.stdout.write((await result.result).text)
    expect(await result.result).toMatchObject({ outcome: 'bailed', by: 'writer' })
    expect(shown(model, 3).at(-1)?.content).toContain('Found 0/5 required citations')
    const lines = printed().map((line) => line.replace(/\d+ms/, '0ms'))
    expect(lines.filter((line) => !/^(Delegating|Bailed)/.test(line))).toEqual([
      '→ researchAgent',
      '← researchAgent (0ms)',
      'Iteration 1: researcher',
      'Iteration 2: researcher',
      '→ writerAgent',
      '← writerAgent (0ms)',
    ])
    expect(lines.filter((line) => /^(Delegating|Bailed)/.test(line))).toEqual([
      'Delegating to researchAgent',
      'Delegating to writerAgent',
      'Bailed with writerAgent output',
    ])
    expect(written.join('')).toBe(`${paper}\n## References`)
  })
})

describe('the documentation', () => {
  /** A supervisor with the two subagents of the documentation. */
  const team = (
    steps: readonly ScriptedStep[],
    {
      research = ['Facts.'],
      writing = ['An article.'],
    }: Partial<Record<string, readonly ScriptedStep[]>> = {},
  ) => {
    const model = scriptedModel(steps)
    const [researcher, writer] = [agentOf('research-agent', research), agentOf('writing-agent', writing)]
    const agents = { researchAgent: researcher.agent, writingAgent: writer.agent }
    return {
      model,
      researcher,
      writer,
      supervisor: createSupervisor({ id: 'supervisor', instructions: '', model, agents }),
    }
  }

  test('onDelegationStart', async () => {
    const steps = Array.from({ length: 9 }, (_, n) =>
      calls(n === 0 ? to('researchAgent', 'Research.') : to('writingAgent', `Write ${n}.`)),
    )
    const { supervisor, researcher, model } = team([...steps, 'Done.'], {
      writing: Array.from({ length: 8 }, () => 'An article.'),
    })
    const result = await supervisor.generate('Research AI trends', {
      maxSteps: 10,
      delegation: {
        onDelegationStart: async (context) => {
          console.log(`Delegating to: ${context.primitiveId}`)

          // Modify the prompt for a specific agent
          if (context.primitiveId === 'research-agent') {
            return {
              proceed: true,
              modifiedPrompt: `${context.prompt}\n\nFocus on 2024-2025 data.`,
              modifiedMaxSteps: 5,
            }
          }

          // Reject delegation after too many iterations
          if (context.iteration > 8) {
            return {
              proceed: false,
              rejectionReason: 'Max iterations reached. Synthesize current findings.',
            }
          }

          return { proceed: true }
        },
      },
    })
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(printed()[0]).toBe('Delegating to: research-agent')
    expect(shown(researcher.model, 1).at(-1)?.content).toBe('Research.\n\nFocus on 2024-2025 data.')
    expect(result.delegations.map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 8 }, () => 'succeeded'),
      'rejected',
    ])
    expect(shown(model, 10).at(-1)?.content).toContain('Max iterations reached. Synthesize current findings.')
  })

  test('onDelegationComplete', async () => {
    const { supervisor } = team([calls(to('researchAgent', 'Research.'))], {
      research: [{ error: new Error('The archive is closed.') }],
    })
    const troupe = createTroupe({ agents: [supervisor] })
    const run = await troupe.start(supervisor, 'Research AI trends', {
      maxSteps: 10,
      delegation: {
        onDelegationComplete: async (context) => {
          console.log(`Completed: ${context.primitiveId}`)

          // Bail on errors
          if (context.error) {
            context.bail()
            return {
              feedback: `Delegation to ${context.primitiveId} failed: ${context.error}. Try a different approach.`,
            }
          }
        },
      },
    })
    expect(await run.result).toMatchObject({ outcome: 'bailed', by: 'research-agent' })
    expect(printed()).toEqual(['Completed: research-agent'])
    const answers = (await troupe.journal(run.id)).filter(
      (entry) => entry.type === 'effect.settled' && entry.kind === 'hook',
    )
    expect(answers).toMatchObject([
      {
        settlement: {
          value: {
            bail: true,
            feedback:
              'Delegation to research-agent failed: The archive is closed.. Try a different approach.',
          },
        },
      },
    ])
  })

  test('messageFilter', async () => {
    const { supervisor, researcher } = team([calls(to('researchAgent', 'Research.')), 'Done.'])
    const earlier = Array.from({ length: 30 }, (_, n) => ({
      role: 'user' as const,
      content: n % 2 === 0 ? `Note ${n}.` : `Note ${n}, confidential.`,
    }))
    await supervisor.generate([...earlier, { role: 'user', content: 'Research AI trends' }], {
      maxSteps: 10,
      delegation: {
        messageFilter: ({ messages, primitiveId, prompt }) => {
          // Remove messages containing sensitive data
          return messages
            .filter((msg) => {
              const content = typeof msg.content === 'string' ? msg.content : JSON.stringify(msg.content)
              return !content.includes('confidential')
            })
            .slice(-10) // Only pass the last 10 messages
        },
      },
    })
    const contents = shown(researcher.model, 1).map(({ content }) => content)
    expect(contents.slice(-11)).toEqual([
      ...Array.from({ length: 9 }, (_, n) => `Note ${12 + 2 * n}.`),
      'Research AI trends',
      'Research.',
    ])
    expect(contents).not.toContain('Note 10.')
  })

  test('onIterationComplete', async () => {
    const long = `The recommendations: ${'more '.repeat(250)}`
    const { supervisor, model } = team(['A draft.', 'Short recommendations.', 'Never asked.'])
    const review = await supervisor.generate('Research AI trends', {
      maxSteps: 10,
      onIterationComplete: async (context) => {
        console.log(`Iteration ${context.iteration}/${context.maxIterations}`)
        console.log(`Finish reason: ${context.finishReason}`)

        // Inject feedback to guide the agent
        if (!context.text.includes('recommendations')) {
          return {
            continue: true,
            feedback: 'Please include specific recommendations in your analysis.',
          }
        }

        // Stop early when the response is sufficient
        if (context.text.length > 1000 && context.finishReason === 'stop') {
          return { continue: false }
        }

        return { continue: true }
      },
    })
    expect(review).toMatchObject({ outcome: 'completed', text: 'Short recommendations.' })
    expect(shown(model, 2).at(-1)?.content).toBe('Please include specific recommendations in your analysis.')
    expect(printed()).toEqual([
      'Iteration 1/10',
      'Finish reason: stop',
      'Iteration 2/10',
      'Finish reason: stop',
    ])
    const stopped = await team([long]).supervisor.generate('Research AI trends', {
      onIterationComplete: async (context) => {
        if (context.text.length > 1000 && context.finishReason === 'stop') {
          return { continue: false }
        }

        return { continue: true }
      },
    })
    expect(stopped).toMatchObject({ outcome: 'stopped', text: long })
  })

  test('a tool that needs an approval', async () => {
    const database = { getUserData: async (userId: string) => `data of ${userId}` }
    const sensitiveDataTool = createTool({
      id: 'get-user-data',
      description: 'Reads the data of a user.',
      inputSchema: z.object({ userId: z.string() }),
      requireApproval: true,
      execute: async (input) => {
        return await database.getUserData(input.userId)
      },
    })
    const dataAgent = createAgent({
      id: 'data-agent',
      description: 'Reads data.',
      instructions: '',
      model: scriptedModel([calls({ name: 'sensitiveDataTool', args: { userId: '123' } }), 'Read.']),
      tools: { sensitiveDataTool },
    })
    const supervisor = createSupervisor({
      id: 'supervisor',
      instructions: '',
      model: scriptedModel([calls(to('dataAgent', 'Get data.')), 'Done.']),
      agents: { dataAgent },
    })
    const stream = supervisor.stream('Get data for user 123')
    for await (const chunk of stream.events) {
      if (chunk.type === 'tool-call-approval') {
        console.log('Tool requires approval:', chunk.payload.toolName)
        await stream.approve(chunk.payload.toolCallId)
      }
    }
    expect(await stream.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(log.mock.calls).toEqual([['Tool requires approval:', 'sensitiveDataTool']])
  })

  test('a scorer of task completion', async () => {
    const taskCompleteScorer = createScorer({
      id: 'task-complete',
      score: async (context) => {
        const text = (context.run.output || '').toString()
        const hasAnalysis = text.includes('analysis')
        const hasRecommendations = text.includes('recommendation')
        return hasAnalysis && hasRecommendations ? 1 : 0
      },
    })
    const { supervisor } = team(['An analysis.', 'An analysis with a recommendation.'])
    const result = await supervisor.generate('Research AI in education', {
      maxSteps: 10,
      completion: {
        scorers: [taskCompleteScorer],
        strategy: 'all',
        onComplete: async (result) => {
          console.log('Task complete:', result.complete)
        },
      },
    })
    expect(result).toMatchObject({ outcome: 'completed', text: 'An analysis with a recommendation.' })
    expect(log.mock.calls).toEqual([
      ['Task complete:', false],
      ['Task complete:', true],
    ])
  })

  test('the stream of the quickstart', async () => {
    const written: string[] = []
    const process = { stdout: { write: (text: string) => written.push(text) } }
    const { supervisor } = team([
      calls(to('researchAgent', 'Research.')),
      calls(to('writingAgent', 'Write.')),
      'The article.',
    ])
    const stream = supervisor.stream('Research AI in education and write an article', { maxSteps: 10 })
    for await (const chunk of stream.textStream) {
      process.stdout.write(chunk)
    }
    expect(written.join('')).toBe('The article.')
  })
})
