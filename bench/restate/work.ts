/** The same work twice: as agents, and as workflows that were written by hand for this alone. */
import {
  handlers,
  RestatePromise,
  workflow,
  type Context,
  type WorkflowContext,
} from '@restatedev/restate-sdk'
import { createAgent, createFanOut, type AnyAgent, type ChatModel, type ModelReply } from 'troupe'

export const children = 100
/** Milliseconds of each model call. */
export const pace = 50

async function think(text: string): Promise<ModelReply> {
  await new Promise((resolve) => setTimeout(resolve, pace))
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  return { text, toolCalls: [], finishReason: 'stop', usage }
}

const goals = Array.from({ length: children }, (_, n) => ({ goal: `Part ${n}.`, agent: 'part' }))

export function agents(): AnyAgent {
  const lead: ChatModel = {
    provider: 'bench',
    modelId: 'lead',
    generate: ({ responseFormat }) => {
      if (responseFormat?.name === 'goals') return think(JSON.stringify({ goals }))
      return think(responseFormat?.name === 'assessment' ? '{"complete":true,"goals":null}' : 'All parts.')
    },
  }
  const part = createAgent({
    id: 'part',
    description: 'Does a part.',
    instructions: 'Do it.',
    model: { provider: 'bench', modelId: 'part', generate: () => think('A part.') },
  })
  return createFanOut({
    id: 'whole',
    instructions: 'Divide.',
    model: lead,
    agents: { part },
    maxGoals: children,
    maxRounds: 1,
    toolCallConcurrency: children,
  })
}

/** As `ctx.run` would be used by hand: a step for each call of a model, a workflow for each child. */
const partByHand = workflow({
  name: 'hand.part',
  handlers: {
    run: (context: WorkflowContext, { n }: { n: number }) => context.run(`part ${n}`, () => think('A part.')),
  },
})

const wholeByHand = workflow({
  name: 'hand.whole',
  handlers: {
    run: async (context: WorkflowContext) => {
      await context.run('goals', () => think('goals'))
      const parts = goals.map((_, n) =>
        context.workflowClient<typeof partByHand>({ name: 'hand.part' }, `${context.key}/${n}`).run({ n }),
      )
      const done = await RestatePromise.all(parts)
      const reply = await context.run('synthesis', () => think('All parts.'))
      return { text: reply.text, parts: done.length }
    },
  },
})

/** What a call of nothing costs: the way there and back. */
const nothing = workflow({
  name: 'hand.nothing',
  handlers: { run: handlers.workflow.workflow(async (_context: Context) => 'nothing') },
})

export const byHand = [partByHand, wholeByHand, nothing]
