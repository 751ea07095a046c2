/* oxlint-disable typescript/restrict-template-expressions, typescript/no-base-to-string -- how errors print is tested */
import { createScorer, createTool, createTroupe, type IterationContext, type SupervisorOptions } from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

const lookup = createTool({
  id: 'lookup',
  description: 'Looks up.',
  inputSchema: z.object({}),
  execute: () => 'found',
})

/** The fields of the iteration in the context of a hook. */
function iterationOf(context: IterationContext) {
  return {
    runId: context.runId,
    supervisorId: context.supervisorId,
    iteration: context.iteration,
    maxSteps: context.maxSteps,
    maxIterations: context.maxIterations,
    isFinal: context.isFinal,
    originalTask: context.originalTask,
    text: context.text,
    finishReason: context.finishReason,
    threadId: context.threadId,
    resourceId: context.resourceId,
    subAgentsInvoked: context.subAgentsInvoked,
    calls: context.currentStep.toolCalls.map(({ name }) => name),
    results: context.currentStep.toolResults.map(({ name, outcome }) => `${name} ${outcome}`),
    steps: context.steps.map(({ step }) => step),
    allSteps: context.allSteps.length,
    messages: context.messages.length,
  }
}

async function contextsOf(more: SupervisorOptions = {}) {
  const seen: [hook: string, iteration: ReturnType<typeof iterationOf>][] = []
  const see = (hook: string) => (context: IterationContext) => {
    seen.push([hook, iterationOf(context)])
  }
  const { agent } = lead(
    'lead',
    [{ text: 'I ask.', ...calls(to('scout', 'Look.'), { name: 'lookup' }) }, 'Done.'],
    {
      agents: { scout: worker('finder', ['Facts.']).agent },
      tools: { lookup },
      toolCallConcurrency: 1,
    },
  )
  const run = agent.stream('Go', {
    threadId: 'thread',
    resourceId: 'user',
    maxSteps: 4,
    onIterationComplete: see('onIterationComplete'),
    stopWhen: (context) => {
      see('stopWhen')(context)
      return false
    },
    onStepFinish: see('onStepFinish'),
    onFinish: see('onFinish'),
    completion: {
      scorers: [createScorer({ id: 'all', score: () => 1 })],
      onComplete: see('onComplete'),
    },
    delegation: {
      onDelegationStart: see('onDelegationStart'),
      onDelegationComplete: (context) => {
        see('onDelegationComplete')(context)
        see('onDelegationComplete, the supervisor')(context.iterationContext)
      },
      messageFilter: (context) => {
        see('messageFilter')(context)
        return []
      },
    },
    ...more,
  })
  await run.result
  return { seen, runId: run.id }
}

describe('the iteration', () => {
  test('every hook is given it', async () => {
    const { seen, runId } = await contextsOf()
    const first = {
      runId,
      supervisorId: 'lead',
      iteration: 1,
      maxSteps: 4,
      maxIterations: 4,
      isFinal: false,
      originalTask: 'Go',
      text: 'I ask.',
      finishReason: 'tool-calls',
      threadId: 'thread',
      resourceId: 'user',
      subAgentsInvoked: [],
      calls: ['agent-scout', 'lookup'],
      results: [],
      steps: [],
      allSteps: 0,
      messages: 3,
    }
    const ended = {
      ...first,
      subAgentsInvoked: ['finder'],
      results: ['agent-scout succeeded', 'lookup succeeded'],
      steps: [1],
      allSteps: 1,
      messages: 5,
    }
    const second = {
      ...ended,
      iteration: 2,
      isFinal: true,
      text: 'Done.',
      finishReason: 'stop',
      calls: [],
      results: [],
      messages: 6,
    }
    const answered = { ...second, steps: [1, 2], allSteps: 2 }
    expect(seen).toEqual([
      ['onStepFinish', first],
      ['onDelegationStart', first],
      ['messageFilter', { ...first, messages: 2 }], // those that may be shared
      ['onDelegationComplete', { ...first, text: 'Facts.', subAgentsInvoked: ['finder'] }],
      ['onDelegationComplete, the supervisor', { ...first, subAgentsInvoked: ['finder'] }],
      ['onIterationComplete', ended],
      ['stopWhen', ended],
      ['onStepFinish', second],
      ['onIterationComplete', answered],
      ['onComplete', answered],
      ['onFinish', answered],
    ])
  })

  test('at the cap it is final', async () => {
    const { seen } = await contextsOf({ maxSteps: 1 })
    expect(seen.map(([, { isFinal, maxIterations }]) => [isFinal, maxIterations])).toEqual(
      seen.map(() => [true, 1]),
    )
  })

  test('the filter of a handoff names the agent that lets go', async () => {
    const seen: object[] = []
    const { agent } = worker('triage', [calls({ name: 'transfer-to-billing', args: {} })], {
      handoffs: [worker('billing', ['Paid.']).agent],
      handoffFilter: ({ supervisorId, iteration, steps, messages, finishReason }) => {
        seen.push({ supervisorId, iteration, steps: steps.length, finishReason })
        return messages
      },
    })
    await agent.generate('Go')
    expect(seen).toEqual([{ supervisorId: 'triage', iteration: 1, steps: 1, finishReason: 'tool-calls' }])
  })

  test('nothing of it is recorded, and a run without it in its journal replays', async () => {
    const { agent } = lead('lead', [calls(to('scout', 'Look.')), 'Done.'], {
      agents: { scout: worker('finder', ['Facts.']).agent },
      delegation: { onDelegationStart: ({ steps }) => ({ proceed: steps.length === 0 }) },
      onFinish: () => undefined,
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await run.result
    expect(JSON.stringify(await troupe.journal(run.id))).not.toContain('supervisorId')
    expect((await troupe.replay(run.id)).result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })
})

describe('an error', () => {
  test('prints as its message in each hook that is given one', async () => {
    const told: string[] = []
    const broken = createTool({
      id: 'broken',
      description: 'Breaks.',
      inputSchema: z.object({}),
      execute: () => {
        throw new Error('The tool is broken.', { cause: new Error('It fell.') })
      },
    })
    const { agent } = lead(
      'lead',
      [calls(to('scout', 'Look.'), { name: 'broken' }), 'Hm.', { error: new Error('No model.') }],
      {
        agents: { scout: worker('finder', [{ error: new Error('No luck.') }]).agent },
        tools: { broken },
        completion: {
          scorers: [
            createScorer({
              id: 'judge',
              score: () => {
                throw new Error('No score.')
              },
            }),
          ],
          onComplete: ({ results }) => void told.push(`scorer: ${results[0]?.error}`),
        },
        delegation: { onDelegationComplete: ({ error }) => void told.push(`delegation: ${error}`) },
        onIterationComplete: ({ currentStep, steps }) => {
          told.push(...currentStep.toolResults.map(({ name, error }) => `${name}: ${error}, ${error?.cause}`))
          told.push(
            ...steps.flatMap((step) => step.toolResults.map(({ error }) => `step ${step.step}: ${error}`)),
          )
        },
        onFinish: ({ error }) => void told.push(`end: ${error}`, JSON.stringify(error)),
      },
    )
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'failed' })
    const results = ['step 1: No luck.', 'step 1: The tool is broken.']
    expect(told).toEqual([
      'delegation: No luck.',
      'agent-scout: No luck., undefined',
      'broken: The tool is broken., It fell.',
      ...results,
      ...results, // in the second iteration, which has no calls
      'scorer: No score.',
      'end: No model.',
      expect.stringContaining('"message":"No model."'),
    ])
  })
})
