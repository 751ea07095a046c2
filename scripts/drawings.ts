/** What the pages of the documentation draw beside machines of the library: the team of the research desk, a run, and ideas. */
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  type AnyAgent,
  type ChatModel,
  type RunEvent,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { z } from 'zod'
import type { AnyStateMachine } from 'xstate'
import { createResearchDesk } from '../examples/01-research-desk/agents.ts'
import { ideas } from './ideas.ts'

export interface Drawing {
  readonly name: string
  /** What it shows, for those who do not see it. */
  readonly text: string
  readonly subject: AnyAgent | readonly RunEvent[] | AnyStateMachine
}

export async function drawings(): Promise<readonly Drawing[]> {
  return [
    {
      name: 'team',
      text: 'A lead with its limits, which delegates to a researcher with two tools and to a writer',
      subject: createResearchDesk(named('gpt-5-mini')),
    },
    {
      name: 'run',
      text: 'What the agents of a run say to each other, from the task to the answer',
      subject: await eventsOfRun(),
    },
    {
      name: 'effect',
      text: 'An effect: wanted, under way, perhaps in doubt, on record',
      subject: ideas.effect,
    },
    { name: 'hold', text: 'A held call: approved, denied or cancelled', subject: ideas.hold },
    { name: 'fork', text: 'A fork: shared entries, a patch, entries of its own', subject: ideas.fork },
    { name: 'drift', text: 'A run over a deploy: it goes on, or is refused', subject: ideas.drift },
  ]
}

function named(modelId: string): ChatModel {
  return { provider: 'openai', modelId, generate: () => Promise.reject(new Error('It is only drawn.')) }
}

/** A delegation that a hook rejects, two that succeed, and a tool call that a person approves. */
async function eventsOfRun(): Promise<readonly RunEvent[]> {
  const order = createTool({
    id: 'order',
    description: 'Orders a part.',
    inputSchema: z.object({ part: z.string(), euros: z.number() }),
    requireApproval: true,
    execute: ({ part }) => ({ part, arrives: 'Tuesday' }),
  })
  const mechanic = createAgent({
    id: 'mechanic',
    description: 'Finds faults.',
    model: model('The chain is worn: a new one is needed.'),
  })
  const clerk = createAgent({
    id: 'clerk',
    description: 'Orders parts.',
    model: model(
      { toolCalls: [{ name: 'order', args: { part: 'chain', euros: 24 } }] },
      'A chain comes on Tuesday.',
    ),
    tools: { order },
  })
  const workshop = createSupervisor({
    id: 'workshop',
    model: model(
      delegating('clerk', 'Order whatever is needed.'),
      delegating('mechanic', 'What is wrong with the bicycle?'),
      delegating('clerk', 'Order a chain.'),
      'The chain is worn. A new one comes on Tuesday.',
    ),
    agents: { mechanic, clerk },
    delegation: {
      onDelegationStart: ({ prompt }) =>
        prompt.includes('whatever')
          ? { proceed: false, rejectionReason: 'Nobody has looked at it yet.' }
          : { proceed: true },
    },
  })
  const troupe = createTroupe({ agents: [workshop] })
  const run = await troupe.start(workshop, 'My bicycle rattles.')
  const events: RunEvent[] = []
  for await (const event of run.events) {
    events.push(event)
    if (event.type === 'tool-call-approval') await run.approve(event.payload.toolCallId, { by: 'ann' })
  }
  await troupe.close()
  return events
}

function model(...steps: readonly ScriptedStep[]): ChatModel {
  return scriptedModel(steps)
}

function delegating(key: string, prompt: string): ScriptedStep {
  return { toolCalls: [{ name: `agent-${key}`, args: { prompt } }] }
}
